package cosid_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/libtnb/sqlite"
	"go.uber.org/fx"
	"go.uber.org/fx/fxtest"
	"go.uber.org/goleak"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"github.com/cosid-go/cosid"
	"github.com/cosid-go/cosid/codecs"
	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/generators/segment"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(workerEnv); dir != "" {
		os.Exit(work(dir))
	}
	goleak.VerifyTestMain(m)
}

type Bill struct {
	ID int64  `gorm:"primaryKey;autoIncrement:false" cosid:"order"`
	No string `cosid:"bill"`
}

const shop = `cosid:
  namespace: shop
  stores:
    db: { type: gorm, options: { driver: sqlite, dsn: DIR/ids.db } }
  generators:
    order: { strategy: segment }
    bill: { strategy: periodic-segment, period: YEAR, zone: Asia/Shanghai }
`

// source writes yaml to a file in a new folder, whose path replaces DIR.
func source(t *testing.T, yaml string) cosid.Source {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "cosid.yaml")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(yaml, "DIR", filepath.ToSlash(dir))), 0o644); err != nil {
		t.Fatal(err)
	}
	return cosid.Source{Files: []string{file}, Environ: []string{}}
}

// quiet keeps warnings out of the tests' output.
func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

func openApplicationDB(t *testing.T) *gorm.DB {
	t.Helper()
	db, err := gorm.Open(sqlite.Open("file:"+filepath.Join(t.TempDir(), "app.db")), &gorm.Config{Logger: logger.Discard})
	if err != nil {
		t.Fatal(err)
	}
	pool, err := db.DB()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pool.Close() })
	if err := db.AutoMigrate(&Bill{}); err != nil {
		t.Fatal(err)
	}
	return db
}

func createAndCheck(t *testing.T, db *gorm.DB, want int64) {
	t.Helper()
	var bill, stored Bill
	if err := db.WithContext(t.Context()).Create(&bill).Error; err != nil {
		t.Fatal(err)
	}
	if err := db.First(&stored, bill.ID).Error; err != nil {
		t.Fatal(err)
	}
	if bill.ID != want || bill != stored || !strings.HasSuffix(bill.No, "-"+string('0'+rune(want))) {
		t.Errorf("created %+v, stored %+v, want id %d", bill, stored, want)
	}
}

func TestModuleWorksAsAConstructorForFxProvide(t *testing.T) {
	db := openApplicationDB(t)
	app := fxtest.New(t,
		fx.Provide(cosid.Module),
		fx.Supply(source(t, shop), db, quiet()),
		fx.Invoke(cosid.UseGORM),
	).RequireStart()
	createAndCheck(t, db, 1)
	createAndCheck(t, db, 2)
	app.RequireStop()
}

func TestOpenWorksWithoutFx(t *testing.T) {
	ids, err := cosid.Open(t.Context(), cosid.Options{Source: source(t, shop), Logger: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	db := openApplicationDB(t)
	if err := db.Use(cosid.NewGORMPlugin(cosid.NewFiller(ids))); err != nil {
		t.Fatal(err)
	}
	createAndCheck(t, db, 1)
	if err := errors.Join(ids.Close(t.Context()), ids.Close(t.Context())); err != nil {
		t.Error(err)
	}
	if err := db.Create(&Bill{}).Error; !errors.Is(err, generators.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

func TestARestartGoesOnAboveTheNumbersOfTheLastRun(t *testing.T) {
	from, last := source(t, shop), int64(0)
	for range 3 {
		ids, err := cosid.Open(t.Context(), cosid.Options{Source: from, Logger: quiet()})
		if err != nil {
			t.Fatal(err)
		}
		order, err := ids.Get("order")
		if err != nil {
			t.Fatal(err)
		}
		for range 150 {
			id, err := order.Next(t.Context())
			if err != nil || id <= last {
				t.Fatalf("after %d came %d, %v", last, id, err)
			}
			last = id
		}
		if err := ids.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAStoreWithoutDSNUsesTheContainersDatabaseAndLeavesItOpen(t *testing.T) {
	db := openApplicationDB(t)
	yaml := strings.Replace(shop, "driver: sqlite, dsn: DIR/ids.db", "auto-migrate: true", 1)
	app := fxtest.New(t,
		fx.Provide(cosid.Module), fx.Supply(source(t, yaml), db, quiet()), fx.Invoke(cosid.UseGORM),
	).RequireStart()
	createAndCheck(t, db, 1)
	app.RequireStop()
	var rows int64
	if err := db.Model(&Bill{}).Count(&rows).Error; err != nil || rows != 1 {
		t.Errorf("after stop: %d rows, %v", rows, err)
	}
	// Without a database in the container the same section cannot be built, and says so.
	err := fx.New(fx.NopLogger, fx.Provide(cosid.Module), fx.Supply(source(t, yaml)), fx.Invoke(func(*cosid.Runtime) {})).Err()
	if err == nil || !strings.Contains(err.Error(), "cosid.stores.db.options.dsn: ") {
		t.Errorf("got %v", err)
	}
}

// A mistake stops the application before anything is opened.
func TestMistakesAreStartErrorsAndLeaveNothingBehind(t *testing.T) {
	for _, c := range []struct{ name, yaml, want string }{
		{"unknown key", strings.Replace(shop, "zone", "zoen", 1), `cosid.yaml:7:55: cosid.generators.bill.zoen: no such key`},
		{"missing zone", strings.Replace(shop, ", zone: Asia/Shanghai", "", 1), `cosid.yaml:7:5: cosid.generators.bill.zone: `},
		{"folder that cannot be made", strings.Replace(shop, "DIR/ids.db", "DIR/cosid.yaml/ids.db", 1), `start store "db"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			from := source(t, c.yaml)
			_, err := cosid.Open(t.Context(), cosid.Options{Source: from, Logger: quiet()})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Open: %v, want …%s…", err, c.want)
			}
			app := fx.New(fx.NopLogger, fx.Provide(cosid.Module), fx.Supply(from, quiet()), fx.Invoke(func(*cosid.Runtime) {}))
			if err = app.Err(); err == nil {
				err = app.Start(t.Context())
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("fx: %v, want …%s…", err, c.want)
			}
			files, err := filepath.Glob(filepath.Join(filepath.Dir(from.Files[0]), "*"))
			if err != nil || len(files) != 1 {
				t.Errorf("left behind: %v, %v", files, err)
			}
		})
	}
}

func TestTagsThatCannotBeFilledAreRefusedWhenRegistered(t *testing.T) {
	ids, err := cosid.Open(t.Context(), cosid.Options{Source: source(t, shop), Logger: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := ids.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	type NoGenerator struct {
		ID int64 `cosid:"ordre"`
	}
	type Fraction struct {
		ID float64 `cosid:"order"`
	}
	type BareBill struct {
		No int64 `cosid:"bill"`
	}
	type OtherCodec struct {
		No string `cosid:"bill,codec=short"`
	}
	filler := cosid.NewFiller(ids)
	for value, want := range map[any]string{
		NoGenerator{}: `NoGenerator.ID`, Fraction{}: `Fraction.ID`, BareBill{}: `BareBill.No`, OtherCodec{}: `OtherCodec.No`,
	} {
		if err := filler.Register(value); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%T: %v, want …%s…", value, err, want)
		}
	}
	err = filler.Register(NoGenerator{})
	if !errors.Is(err, cosid.ErrUnknownGenerator) || !strings.Contains(err.Error(), `did you mean "order"?`) {
		t.Errorf("got %v", err)
	}
	if err := filler.Register(Bill{}); err != nil {
		t.Error(err)
	}
}

func TestAsFindsThePartsOfAnEntryAndListsThem(t *testing.T) {
	ids, err := cosid.Open(t.Context(), cosid.Options{Source: source(t, shop), Logger: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := ids.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	if codec, err := cosid.As[codecs.GroupedCodec](ids, "bill"); err != nil || codec == nil {
		t.Error(err)
	}
	if g, err := cosid.As[*segment.Generator](ids, "order"); err != nil || g == nil {
		t.Error(err)
	}
	_, err = cosid.As[codecs.Codec](ids, "bill")
	if err == nil || !strings.Contains(err.Error(), `generator "bill" has no codecs.Codec (it has *periodic.Generator, generators.GroupedGenerator, codecs.GroupedCodec)`) {
		t.Errorf("got %v", err)
	}
}

// The hot path of a generator stays what it is through its entry (design section 4).
func TestDrawingThroughAnEntryDoesNotAllocate(t *testing.T) {
	ids, err := cosid.Open(t.Context(), cosid.Options{Logger: quiet(), Source: source(t, strings.Replace(shop,
		"type: gorm, options: { driver: sqlite, dsn: DIR/ids.db }", "type: memory", 1))})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := ids.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	order, _ := ids.Get("order")
	bill, _ := ids.Get("bill")
	ctx := t.Context()
	batch := make([]int64, 10)
	for _, c := range []struct {
		name string
		most float64
		draw func() error
	}{
		{"Next", 0, func() error { _, err := order.Next(ctx); return err }},
		{"Fill", 0, func() error { _, err := order.Fill(ctx, batch); return err }},
		{"NextGrouped", 0, func() error { _, err := bill.NextGrouped(ctx); return err }},
		{"NextString", 1, func() error { _, err := bill.NextString(ctx); return err }},
	} {
		if _, err := order.NextN(ctx, 100_000); err != nil { // ranges large enough that none is reserved meanwhile
			t.Fatal(err)
		}
		texts := make([]string, 100_000)
		if _, err := bill.FillStrings(ctx, texts); err != nil {
			t.Fatal(err)
		}
		if allocs := testing.AllocsPerRun(1000, func() {
			if err := c.draw(); err != nil {
				t.Error(err)
			}
		}); allocs > c.most {
			t.Errorf("%s: %v allocations, want %v at most", c.name, allocs, c.most)
		}
	}
}

// G39: a store on the application's own pool of one connection. A Create works, because filling comes before its
// transaction; inside the application's own transaction the store has to wait for it, and the error says so.
func TestAStoreOnTheApplicationsOnlyConnection(t *testing.T) {
	db := openApplicationDB(t)
	pool, err := db.DB()
	if err != nil {
		t.Fatal(err)
	}
	pool.SetMaxOpenConns(1)
	yaml := strings.Replace(shop, "type: gorm, options: { driver: sqlite, dsn: DIR/ids.db }",
		"type: gorm, timeout: 200ms, options: { auto-migrate: true }", 1)
	yaml = strings.ReplaceAll(yaml, "segment", "segment, reserve-timeout: 300ms")
	ids, err := cosid.Open(t.Context(), cosid.Options{Source: source(t, yaml), DB: db, Logger: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := ids.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	if err := db.Use(cosid.NewGORMPlugin(cosid.NewFiller(ids))); err != nil {
		t.Fatal(err)
	}
	inTransaction := func() error {
		return db.WithContext(t.Context()).Transaction(func(tx *gorm.DB) error { return tx.Create(&Bill{}).Error })
	}
	err = inTransaction()
	if !errors.Is(err, cosid.ErrRangeUnavailable) || !strings.Contains(err.Error(), "inside a transaction") ||
		!strings.Contains(err.Error(), "no connection became free in a pool of at most 1") {
		t.Errorf("cold, in a transaction: %v", err)
	}
	deadline := time.Now().Add(5 * time.Second) // the back-off after the failure is 100ms
	for err = errors.New("not tried"); err != nil && time.Now().Before(deadline); {
		err = db.Create(&Bill{}).Error
	}
	if err != nil {
		t.Errorf("without a transaction of the application's own: %v", err)
	}
	if err := inTransaction(); err != nil {
		t.Errorf("in a transaction, with ids at hand: %v", err)
	}
}
