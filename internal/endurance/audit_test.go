package endurance_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/cosid-go/cosid/generators"
)

// sequenceBits are few, so that a burst fills ticks to the last id and borrows from the future; there are more slotBits
// than the slots need, so that a slot beyond the limit would show.
const (
	sequenceBits = 8
	slotBits     = 6
)

func layout() generators.Layout {
	l := generators.DefaultLayout()
	l.SlotBits, l.SequenceBits = slotBits, sequenceBits
	return l
}

// audit looks at every id that was made. It remembers each one, in a bit.
type audit struct {
	limit int64 // of the slots

	ids      int64
	repeated int64 // ids that were made before
	shared   int64 // ids in a tick of a slot that another runtime has used
	backward int64 // ids that are not larger than the one before in their goroutine
	beyond   int64 // ids of no slot, or of none below the limit
	examples []string

	index   map[int64]int32 // of a slot's tick in ticks, by id >> sequenceBits
	ticks   []tick
	makers  []origin // without lanes
	batches []batch
	first   map[int64]time.Time // when a slot was first used
	last    map[int64]time.Time // when a slot was last used
}

// tick is what became of one slot's millisecond.
type tick struct {
	maker     int32 // the first who made an id of it, in makers
	sequences [1 << sequenceBits / 64]uint64
}

// batch says that a worker made ids.
type batch struct {
	worker  int
	at      time.Time
	largest int64
}

// auditDir reads all journals of a folder.
func auditDir(dir string, limit int64) (*audit, error) {
	a := &audit{
		limit: limit, index: make(map[int64]int32),
		first: make(map[int64]time.Time), last: make(map[int64]time.Time),
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*"+journalSuffix))
	if err != nil {
		return nil, err
	}
	slices.Sort(paths)
	for _, path := range paths {
		if err := a.read(path); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(a.batches, func(x, y batch) int { return x.at.Compare(y.at) })
	return a, nil
}

// read judges one journal. Those of one runtime follow each other.
func (a *audit) read(path string) error {
	from, err := originOf(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	maker := origin{worker: from.worker, life: from.life, opening: from.opening}
	if n := len(a.makers); n == 0 || a.makers[n-1] != maker {
		a.makers = append(a.makers, maker)
	}
	before, place, current := int64(-1), int64(-1), int32(-1)
	return readJournal(path, func(at time.Time, ids []int64) {
		for _, id := range ids {
			a.ids++
			if id <= before {
				a.complain(&a.backward, "%s made %d after %d", from, id, before)
			}
			before = id
			parts, err := layout().Decode(id)
			if err != nil || parts.Slot >= a.limit {
				a.complain(&a.beyond, "%s made %d: slot %d, %v", from, id, parts.Slot, err)
				continue
			}
			if id>>sequenceBits != place {
				place = id >> sequenceBits
				current = a.tick(place)
				a.use(parts.Slot, at)
			}
			a.mark(current, from, id, parts)
		}
		if len(ids) > 0 {
			a.batches = append(a.batches, batch{from.worker, at, ids[len(ids)-1]})
		}
	})
}

func (a *audit) tick(place int64) int32 {
	i, found := a.index[place]
	if !found {
		i = int32(len(a.ticks))
		a.index[place] = i
		a.ticks = append(a.ticks, tick{maker: int32(len(a.makers) - 1)})
	}
	return i
}

func (a *audit) mark(i int32, from origin, id int64, parts generators.Parts) {
	t := &a.ticks[i]
	if t.maker != int32(len(a.makers)-1) {
		a.complain(&a.shared, "%s made %d, of slot %d at %v, where %s has made ids", from, id, parts.Slot,
			parts.Time.Format(time.RFC3339Nano), a.makers[t.maker])
	}
	word, bit := parts.Sequence/64, uint64(1)<<(parts.Sequence%64)
	if t.sequences[word]&bit != 0 {
		a.complain(&a.repeated, "%s made %d, of slot %d at %v, which was made before", from, id, parts.Slot,
			parts.Time.Format(time.RFC3339Nano))
	}
	t.sequences[word] |= bit
}

func (a *audit) use(slot int64, at time.Time) {
	if first, found := a.first[slot]; !found || at.Before(first) {
		a.first[slot] = at
	}
	if at.After(a.last[slot]) {
		a.last[slot] = at
	}
}

func (a *audit) complain(count *int64, format string, args ...any) {
	const most = 5 // of one kind
	if *count++; *count <= most {
		a.examples = append(a.examples, fmt.Sprintf(format, args...))
	}
}

// breaches is the number of ids that must not be there.
func (a *audit) breaches() int64 { return a.repeated + a.shared + a.backward + a.beyond }

// String tells the counts.
func (a *audit) String() string {
	return fmt.Sprintf("%d ids in %d ticks by %d runtimes: "+
		"%d repeated, %d in a tick of another, %d out of order, %d beyond the slots",
		a.ids, len(a.ticks), len(a.makers), a.repeated, a.shared, a.backward, a.beyond)
}
