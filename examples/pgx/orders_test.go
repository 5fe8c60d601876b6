package orders_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/cosid-go/cosid"
	orders "github.com/cosid-go/cosid/examples/pgx"
)

// server stands for PostgreSQL: it notes what it is sent.
type server struct {
	statements [][]any // the arguments of each
	copied     [][]any
	fails      error
	committed  bool
}

func (s *server) Begin(context.Context) (pgx.Tx, error) { return transaction{server: s}, nil }

type transaction struct {
	pgx.Tx
	server *server
}

func (tx transaction) SendBatch(_ context.Context, batch *pgx.Batch) pgx.BatchResults {
	for _, query := range batch.QueuedQueries {
		tx.server.statements = append(tx.server.statements, query.Arguments)
	}
	return results{err: tx.server.fails}
}

func (tx transaction) CopyFrom(_ context.Context, _ pgx.Identifier, _ []string, rows pgx.CopyFromSource) (int64, error) {
	for rows.Next() {
		values, err := rows.Values()
		if err != nil {
			return 0, err
		}
		tx.server.copied = append(tx.server.copied, values)
	}
	return int64(len(tx.server.copied)), rows.Err()
}

func (tx transaction) Commit(context.Context) error   { tx.server.committed = true; return nil }
func (tx transaction) Rollback(context.Context) error { return nil }

type results struct {
	pgx.BatchResults
	err error
}

func (r results) Close() error { return r.err }

func newFiller(t *testing.T) *cosid.Filler {
	t.Helper()
	number := map[string]any{"strategy": "segment"}
	ids, err := cosid.Open(t.Context(), cosid.Options{Source: cosid.Source{
		Environ: []string{},
		Values: map[string]any{
			"namespace": "shop",
			"stores":    map[string]any{"db": map[string]any{"type": "memory"}},
			"generators": map[string]any{
				"order": number, "item": number,
				"bill": map[string]any{"strategy": "segment", "codec": []any{map[string]any{"prefix": "B-"}, "decimal"}},
			},
		},
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ids.Close(context.Background()) })
	return cosid.NewFiller(ids)
}

func newOrders() []orders.Order {
	return []orders.Order{
		{Customer: "Ada", Items: []orders.Item{{Name: "tea"}, {Name: "cups"}}},
		{Customer: "Grace", Items: []orders.Item{{Name: "milk"}}},
	}
}

func TestRowsAreSentWithTheirIDs(t *testing.T) {
	db := &server{}
	bills, err := orders.Insert(t.Context(), db, newFiller(t), newOrders())
	if err != nil {
		t.Fatal(err)
	}
	if want := []orders.Bill{{No: "B-1", OrderID: 1}, {No: "B-2", OrderID: 2}}; !reflect.DeepEqual(bills, want) {
		t.Errorf("bills %v, want %v", bills, want)
	}
	statements := [][]any{{int64(1), "Ada"}, {"B-1", int64(1)}, {int64(2), "Grace"}, {"B-2", int64(2)}}
	items := [][]any{{int64(1), int64(1), "tea"}, {int64(2), int64(1), "cups"}, {int64(3), int64(2), "milk"}}
	if !reflect.DeepEqual(db.statements, statements) || !reflect.DeepEqual(db.copied, items) || !db.committed {
		t.Errorf("sent %v and %v, committed %v", db.statements, db.copied, db.committed)
	}
}

func TestIDsOfATransactionThatFailedDoNotComeAgain(t *testing.T) {
	filler := newFiller(t)
	db := &server{fails: errors.New("no table")}
	if _, err := orders.Insert(t.Context(), db, filler, newOrders()); !errors.Is(err, db.fails) || db.committed {
		t.Errorf("committed %v, error %v", db.committed, err)
	}
	bills, err := orders.Insert(t.Context(), &server{}, filler, newOrders())
	if want := []orders.Bill{{No: "B-3", OrderID: 3}, {No: "B-4", OrderID: 4}}; err != nil || !reflect.DeepEqual(bills, want) {
		t.Errorf("bills %v, want %v: %v", bills, want, err)
	}
}
