//go:build unix

package endurance_test

import (
	"context"
	"io/fs"
	"path/filepath"
	"testing"
	"time"

	"github.com/cosid-go/cosid/stores"
)

// Each broken store must make a run fail.
func TestBrokenStoresAreFound(t *testing.T) {
	type suffering = func(s *stage, chaos context.Context, z size) error
	forgetting := func(s *stage, chaos context.Context, _ size) error { return every(time.Second, chaos, s.forget) }
	for _, test := range []struct {
		name   string
		size   size // what differs from a usual one
		start  func(t *testing.T) *stage
		suffer suffering
	}{
		{
			"a new window begins now, whatever was granted before",
			size{limit: 2},
			broken(&served{bend: func(r *stores.SlotRow) { r.NextFloor = 0 }}),
			func(s *stage, chaos context.Context, _ size) error {
				return every(time.Second, chaos, s.step(-time.Second))
			},
		},
		{
			"a holder goes on beyond its window",
			size{limit: 1, stopsOnly: true},
			broken(&served{answer: func(l *stores.SlotLease) { l.Ceiling += time.Minute.Milliseconds() }}),
			func(*stage, context.Context, size) error { return nil },
		},
		{"the slots are forgotten", size{limit: 2}, broken(&served{}), forgetting},
		{"the slots are forgotten by Redis", size{limit: 2}, redisStage, forgetting},
		{"the slots are forgotten by PostgreSQL", size{limit: 2}, postgresStage, forgetting},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			z := test.size
			z.chaos, z.workers, z.rate, z.ttl, z.between = time.Minute, 5, 3000, time.Second, time.Second
			z.untilFound = true
			r := z.endure(t, test.start(t), test.suffer)
			if r.breaches() == 0 {
				t.Fatalf("the audit finds nothing in %v", z.chaos)
			}
			t.Logf("found: %v", r.examples[0])
		})
	}
}

func broken(s *served) func(t *testing.T) *stage {
	return func(t *testing.T) *stage { return servedStage(t, s) }
}

// An id that is copied from the journal of one worker to that of another is found among all others.
func (r run) checkPlanted(t *testing.T) {
	t.Helper()
	var planted int64
	var owner origin
	err := filepath.WalkDir(r.dir, func(path string, _ fs.DirEntry, err error) error {
		if planted != 0 || err != nil || filepath.Ext(path) != journalSuffix {
			return err
		}
		if owner, err = originOf(path); err != nil {
			return err
		}
		return readJournal(path, func(_ time.Time, ids []int64) {
			if len(ids) > 0 {
				planted = ids[len(ids)/2]
			}
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	write(t, r.dir, origin{worker: owner.worker, life: 9999, opening: 1, lane: "planted"}, []int64{planted})
	a, err := auditDir(r.dir, r.size.limit)
	if err != nil {
		t.Fatal(err)
	}
	if a.repeated != r.repeated+1 || a.shared != r.shared+1 {
		t.Errorf("with %d planted, of %v: %v", planted, owner, a)
	}
}

func every(d time.Duration, chaos context.Context, do func(context.Context) error) error {
	for sleep(chaos, d) {
		if err := do(chaos); err != nil && chaos.Err() == nil {
			return err
		}
	}
	return nil
}
