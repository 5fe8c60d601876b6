package endurance_test

import (
	"os"
	"slices"
	"testing"
)

// clean are ids of two runtimes on two slots, in the ticks 1000 to 1099.
func clean(slot int64) []int64 {
	var ids []int64
	for tick := range int64(100) {
		for sequence := range int64(1 << sequenceBits) {
			ids = append(ids, layout().Pack(1000+tick, slot, sequence))
		}
	}
	return ids
}

func TestAuditFindsWhatWasPlanted(t *testing.T) {
	first := origin{worker: 1, life: 1, opening: 1, lane: "fill"}
	second := origin{worker: 2, life: 1, opening: 1, lane: "fill"}
	sibling := origin{worker: 2, life: 1, opening: 1, lane: "next"}
	successor := origin{worker: 2, life: 1, opening: 2, lane: "fill"}
	duplicate, next := layout().Pack(1050, 3, 17), layout().Pack(1100, 4, 0)
	for _, test := range []struct {
		name    string
		journal origin
		ids     []int64
		want    [4]int64 // repeated, shared, backward, beyond
	}{
		{"nothing", sibling, []int64{next}, [4]int64{}},
		{"an id of another process", sibling, []int64{duplicate}, [4]int64{1, 1, 0, 0}},
		{"an id of another goroutine", sibling, []int64{layout().Pack(1050, 4, 17)}, [4]int64{1, 0, 0, 0}},
		{"an id of an earlier runtime", successor, []int64{layout().Pack(1099, 4, 255)}, [4]int64{1, 1, 0, 0}},
		{"an id twice in a row", sibling, []int64{next, next}, [4]int64{1, 0, 1, 0}},
		{"a smaller id", sibling, []int64{layout().Pack(1101, 4, 0), next}, [4]int64{0, 0, 1, 0}},
		{"a slot beyond the limit", sibling, []int64{layout().Pack(1100, 8, 0)}, [4]int64{0, 0, 0, 1}},
		{"a negative id", sibling, []int64{-5}, [4]int64{0, 0, 1, 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, first, clean(3))
			write(t, dir, second, clean(4))
			write(t, dir, test.journal, test.ids)
			a, err := auditDir(dir, 8)
			if err != nil {
				t.Fatal(err)
			}
			if got := [4]int64{a.repeated, a.shared, a.backward, a.beyond}; got != test.want {
				t.Errorf("repeated, shared, backward, beyond = %v, want %v: %v", got, test.want, a.examples)
			}
			if want := int64(2*25_600 + len(test.ids)); a.ids != want {
				t.Errorf("%d ids, want %d", a.ids, want)
			}
		})
	}
}

func TestAuditFindsATickOfTwoProcessesWithoutARepeat(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, origin{worker: 1, life: 1, opening: 1, lane: "fill"}, []int64{layout().Pack(1000, 3, 0)})
	write(t, dir, origin{worker: 1, life: 2, opening: 1, lane: "fill"}, []int64{layout().Pack(1000, 3, 1)})
	if a, err := auditDir(dir, 8); err != nil || a.shared != 1 || a.repeated != 0 {
		t.Errorf("%v, %v", a, err)
	}
}

func TestAJournalThatWasCutShortCountsAsFarAsItGoes(t *testing.T) {
	dir := t.TempDir()
	o := origin{worker: 1, life: 2, opening: 3, lane: "fill"}
	write(t, dir, o, clean(3))
	info, err := os.Stat(o.path(dir))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(o.path(dir), info.Size()-13); err != nil {
		t.Fatal(err)
	}
	if a, err := auditDir(dir, 8); err != nil || a.ids != 25_600-2 || a.breaches() != 0 {
		t.Errorf("%v, %v", a, err)
	}
}

// write makes a journal of ids, in batches.
func write(t *testing.T, dir string, o origin, ids []int64) {
	t.Helper()
	j, err := newJournal(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	defer j.file.Close()
	for part := range slices.Chunk(ids, 1000) {
		if err := j.write(part); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := originOf(o.path(dir)); err != nil || got != o {
		t.Fatalf("%v is read as %v, %v", o, got, err)
	}
}
