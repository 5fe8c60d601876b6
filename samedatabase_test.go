package cosid_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	mysqldriver "github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/driver/mysql"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"

	"github.com/cosid-go/cosid"
	"github.com/cosid-go/cosid/internal/servers"
)

// What holds where the ranges are in the database of the application's own tables, on its pool.

// site is a server that applications have their databases on.
type site struct {
	newDSN    func(t testing.TB) string
	dialector func(dsn string, process int) gorm.Dialector
}

func TestAStoreOnTheApplicationsPostgres(t *testing.T) {
	t.Parallel()
	server := servers.StartPostgres(t, "fsync=off", "synchronous_commit=off")
	site{
		newDSN:    func(t testing.TB) string { return server.DSN(server.NewDatabase(t)) },
		dialector: func(dsn string, _ int) gorm.Dialector { return postgres.Open(dsn) },
	}.run(t)
}

func TestAStoreOnTheApplicationsMariaDB(t *testing.T) {
	t.Parallel()
	server := servers.StartMariaDB(t, "innodb-flush-log-at-trx-commit=0")
	site{
		newDSN: func(t testing.TB) string { return server.DSN(server.NewDatabase(t)) },
		dialector: func(dsn string, process int) gorm.Dialector {
			// Without RETURNING GORM works as on MySQL.
			return mysql.New(mysql.Config{DSN: dsn, DisableWithReturning: process%2 == 1})
		},
	}.run(t)
}

func (s site) run(t *testing.T) {
	t.Run("No_number_comes_twice_and_no_fill_fails", s.busy)
	t.Run("Batches_of_a_thousand_rows_are_filled_in_order", s.batches)
	t.Run("A_pool_that_transactions_have_taken_is_an_error_that_ends_with_them", s.taken)
}

type (
	Sale struct {
		ID    int64  `gorm:"primaryKey;autoIncrement:false" cosid:"order"`
		No    string `gorm:"size:40;uniqueIndex" cosid:"bill"`
		Name  string `gorm:"size:40;uniqueIndex"`
		Lines []SaleLine
	}
	SaleLine struct {
		ID     int64 `gorm:"primaryKey;autoIncrement:false" cosid:"order"`
		SaleID int64
	}
)

// process is an application: a pool, and generators on the store in its database.
type process struct {
	*gorm.DB
	filler *cosid.Filler
	ledger *ledger
}

// start starts an application with ranges so small that nearly every call meets a reservation.
func (s site) start(t *testing.T, dsn string, number, connections int, reserveTimeout time.Duration) *process {
	t.Helper()
	db, err := gorm.Open(s.dialector(dsn, number), &gorm.Config{Logger: logger.Discard, TranslateError: true})
	if err != nil {
		t.Fatal(err)
	}
	pool, err := db.DB()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pool.Close() })
	pool.SetMaxOpenConns(connections)
	pool.SetMaxIdleConns(connections)
	yaml := fmt.Sprintf(`cosid:
  namespace: shop
  stores:
    db: { type: gorm, timeout: %[1]v, options: { auto-migrate: true } }
  generators:
    order: { strategy: segment, step: 4, max-batch: 8, reserve-timeout: %[2]v }
    bill: { strategy: periodic-segment, period: YEAR, zone: UTC, step: 4, max-batch: 8, reserve-timeout: %[2]v }
`, reserveTimeout/2, reserveTimeout)
	ids, err := cosid.Open(t.Context(), cosid.Options{Source: source(t, yaml), DB: db, Logger: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := ids.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	p := &process{DB: db, filler: cosid.NewFiller(ids), ledger: newLedger()}
	if err := errors.Join(db.Use(cosid.NewGORMPlugin(p.filler)), db.AutoMigrate(&Sale{}, &SaleLine{})); err != nil {
		t.Fatal(err)
	}
	return p
}

// ledger has what was drawn, by all processes of a database.
type ledger struct {
	mu    sync.Mutex
	drawn map[string]bool  // whatever became of it
	kept  map[int64]string // by id, the numbers of the sales that were committed
}

func newLedger() *ledger { return &ledger{drawn: map[string]bool{}, kept: map[int64]string{}} }

// draw notes what sales were given, which nobody else must have been.
func (l *ledger) draw(t *testing.T, sales ...*Sale) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range sales {
		numbers := []string{fmt.Sprint(s.ID), s.No}
		for _, line := range s.Lines {
			numbers = append(numbers, fmt.Sprint(line.ID))
		}
		for _, number := range numbers {
			if number == "" || number == "0" || l.drawn[number] {
				t.Errorf("%q of %+v was drawn before, or never", number, *s)
			}
			l.drawn[number] = true
		}
	}
}

func (l *ledger) keep(sales ...*Sale) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range sales {
		l.kept[s.ID] = s.No
	}
}

// check compares the table with what was committed. Other rows may be there, of numbers that were drawn.
func (l *ledger) check(t *testing.T, db *gorm.DB) {
	t.Helper()
	var stored []Sale
	if err := db.Find(&stored).Error; err != nil {
		t.Fatal(err)
	}
	byID := make(map[int64]string, len(stored))
	for _, s := range stored {
		byID[s.ID] = s.No
		if !l.drawn[fmt.Sprint(s.ID)] || !l.drawn[s.No] {
			t.Errorf("nobody drew %+v", s)
		}
	}
	for id, no := range l.kept {
		if byID[id] != no {
			t.Errorf("sale %d has the number %q, %q was committed", id, byID[id], no)
		}
	}
	t.Logf("%d numbers drawn, %d sales committed, %d rows", len(l.drawn), len(l.kept), len(stored))
}

// use is one way in which applications meet the plugin. It returns what it committed.
type use struct {
	name           string
	inTransactions bool // of the application's own
	do             func(t *testing.T, p *process, name string) ([]*Sale, error)
}

func uses() []use {
	fill := func(name string) *Sale { return &Sale{Name: name, Lines: make([]SaleLine, 2)} }
	return []use{
		{"create", false, func(t *testing.T, p *process, name string) ([]*Sale, error) {
			sale := fill(name)
			err := p.Create(sale).Error
			p.ledger.draw(t, sale)
			return []*Sale{sale}, err
		}},
		{"transaction", true, func(t *testing.T, p *process, name string) ([]*Sale, error) {
			a, b := fill(name), fill(name+"b")
			return []*Sale{a, b}, p.Transaction(func(tx *gorm.DB) error {
				err := errors.Join(tx.Create(a).Error, tx.Create(b).Error)
				p.ledger.draw(t, a, b)
				return err
			})
		}},
		{"rollback", true, func(t *testing.T, p *process, name string) ([]*Sale, error) {
			err := p.Transaction(func(tx *gorm.DB) error {
				sales := []*Sale{fill(name), fill(name + "b")}
				err := tx.Create(sales).Error
				p.ledger.draw(t, sales...)
				return cmp.Or(err, errChangedMind)
			})
			if errors.Is(err, errChangedMind) {
				err = nil
			}
			return nil, err
		}},
		{"name taken, then another", false, func(t *testing.T, p *process, name string) ([]*Sale, error) {
			first, again := fill(name), fill(name)
			err := p.Create(first).Error
			p.ledger.draw(t, first)
			if err != nil {
				return nil, err
			}
			if err := p.Create(again).Error; !errors.Is(err, gorm.ErrDuplicatedKey) {
				return []*Sale{first}, fmt.Errorf("a second %q: %w", name, err)
			}
			p.ledger.draw(t, again)
			sale := fill(name + "c")
			err = p.Create(sale).Error
			p.ledger.draw(t, sale)
			return []*Sale{first, sale}, err
		}},
		{"name taken in a transaction, then another", true, func(t *testing.T, p *process, name string) ([]*Sale, error) {
			first, again, sale := fill(name), fill(name), fill(name+"c")
			return []*Sale{first, sale}, p.Transaction(func(tx *gorm.DB) error {
				err := tx.Create(first).Error
				p.ledger.draw(t, first)
				if err != nil {
					return err
				}
				err = tx.Transaction(func(tx *gorm.DB) error { return tx.Create(again).Error }) // a savepoint
				p.ledger.draw(t, again)
				if !errors.Is(err, gorm.ErrDuplicatedKey) {
					return fmt.Errorf("a second %q: %w", name, err)
				}
				err = tx.Create(sale).Error
				p.ledger.draw(t, sale)
				return err
			})
		}},
		{"save", false, func(t *testing.T, p *process, name string) ([]*Sale, error) {
			sale, preset := fill(name), &Sale{Name: name + "p"}
			err := errors.Join(p.filler.Fill(t.Context(), preset), p.Save(sale).Error, p.Save(preset).Error) // is no row yet
			p.ledger.draw(t, sale, preset)
			id, no := sale.ID, sale.No
			err = errors.Join(err, p.Save(sale).Error)
			if sale.ID != id || sale.No != no {
				t.Errorf("saved again, %d %s became %d %s", id, no, sale.ID, sale.No)
			}
			return []*Sale{sale, preset}, err
		}},
		{"do nothing on conflict", false, func(t *testing.T, p *process, name string) ([]*Sale, error) {
			sales := []*Sale{{Name: "shared"}, {Name: name}}
			err := p.Clauses(clause.OnConflict{DoNothing: true}).Create(sales).Error
			p.ledger.draw(t, sales...)
			return sales[1:], err
		}},
		{"update on conflict", false, func(t *testing.T, p *process, name string) ([]*Sale, error) {
			sale := &Sale{Name: "updated"}
			err := p.Clauses(clause.OnConflict{
				Columns: []clause.Column{{Name: "name"}}, DoUpdates: clause.AssignmentColumns([]string{"no"}),
			}).Create(sale).Error
			p.ledger.draw(t, sale)
			return nil, err
		}},
	}
}

// isDeadlock tells that the database made this application's transaction the victim of a deadlock with another's rows.
// Applications try again.
func isDeadlock(err error) bool {
	var inPostgres *pgconn.PgError
	var inMySQL *mysqldriver.MySQLError
	return errors.As(err, &inPostgres) && inPostgres.Code == "40P01" || errors.As(err, &inMySQL) && inMySQL.Number == 1213
}

// busy runs two processes. A pool has as many connections as its process has transactions at a time, and one for each
// of its generators; or one alone, where no call is inside a transaction.
func (s site) busy(t *testing.T) {
	const rounds = 6
	for _, c := range []struct {
		connections, workers int
		inTransactions       bool
	}{{1, 8, false}, {10, 8, true}} {
		t.Run(fmt.Sprint("a pool of ", c.connections), func(t *testing.T) {
			dsn := s.newDSN(t)
			processes := []*process{
				s.start(t, dsn, 0, c.connections, 20*time.Second), s.start(t, dsn, 1, c.connections, 20*time.Second),
			}
			processes[1].ledger = processes[0].ledger
			var working sync.WaitGroup
			for number, p := range processes {
				for worker := range c.workers {
					working.Go(func() {
						for round := range rounds {
							for i, u := range uses() {
								if u.inTransactions && !c.inTransactions {
									continue
								}
								name := fmt.Sprintf("%d-%d-%d-%d-", number, worker, round, i)
								sales, err := u.do(t, p, name)
								for try := 0; isDeadlock(err) && !errors.Is(err, cosid.ErrRangeUnavailable) && try < 20; try++ {
									t.Logf("%s: %v", u.name, err)
									sales, err = u.do(t, p, fmt.Sprint(name, try))
								}
								if err != nil {
									t.Errorf("%s: %v", u.name, err)
									continue
								}
								p.ledger.keep(sales...)
							}
						}
					})
				}
			}
			working.Wait()
			processes[0].ledger.check(t, processes[0].DB)
		})
	}
}

// batches creates a thousand rows a call. CreateInBatches begins a transaction around its batches, which a pool of one
// connection has no second connection for.
func (s site) batches(t *testing.T) {
	for _, c := range []struct {
		connections, workers int
		session              gorm.Session
	}{
		{10, 4, gorm.Session{}},
		{1, 2, gorm.Session{SkipDefaultTransaction: true}},
	} {
		t.Run(fmt.Sprint("a pool of ", c.connections), func(t *testing.T) {
			p := s.start(t, s.newDSN(t), 0, c.connections, 20*time.Second)
			var working sync.WaitGroup
			for worker := range c.workers {
				working.Go(func() {
					sales := make([]*Sale, 1000)
					for i := range sales {
						sales[i] = &Sale{Name: fmt.Sprint(worker, "-", i)}
					}
					if err := p.Session(&c.session).CreateInBatches(sales, 100).Error; err != nil {
						t.Error(err)
						return
					}
					p.ledger.draw(t, sales...)
					p.ledger.keep(sales...)
					if !slices.IsSortedFunc(sales, func(a, b *Sale) int { return cmp.Compare(a.ID, b.ID) }) {
						t.Error("the ids are not in the order of the slice")
					}
				})
			}
			working.Wait()
			p.ledger.check(t, p.DB)
		})
	}
}

// G39: transactions that hold every connection keep the store from its own. They are told so, and once they have ended
// everything goes on.
func (s site) taken(t *testing.T) {
	for _, connections := range []int{1, 10} {
		t.Run(fmt.Sprint("a pool of ", connections), func(t *testing.T) {
			p := s.start(t, s.newDSN(t), 0, connections, 300*time.Millisecond)
			var begun, answered, working sync.WaitGroup
			begun.Add(connections)
			answered.Add(connections)
			for worker := range connections {
				working.Go(func() {
					err := p.Transaction(func(tx *gorm.DB) error {
						begun.Done()
						begun.Wait()
						err := tx.Create(&Sale{Name: fmt.Sprint(worker)}).Error
						answered.Done()
						answered.Wait()
						return err
					})
					if !errors.Is(err, cosid.ErrRangeUnavailable) || !strings.Contains(err.Error(), "inside a transaction") ||
						!strings.Contains(err.Error(), fmt.Sprint("a pool of at most ", connections)) {
						t.Errorf("transaction %d: %v", worker, err)
					}
				})
			}
			working.Wait()
			var last error
			deadline := time.Now().Add(20 * time.Second) // the back-off after a failure is 100ms at first
			for {
				sale := Sale{Name: "after"}
				if last = p.Create(&sale).Error; last == nil {
					p.ledger.draw(t, &sale)
					p.ledger.keep(&sale)
					break
				}
				if time.Now().After(deadline) {
					t.Fatalf("after the transactions: %v", last)
				}
				time.Sleep(10 * time.Millisecond)
			}
			p.ledger.check(t, p.DB)
		})
	}
}
