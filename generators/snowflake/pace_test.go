package snowflake_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/generators/snowflake"
	"github.com/cosid-go/cosid/stores/memstore"
)

// Few ids a tick must not all have sequence 0: whoever spreads them by id % n would use one shard.
func TestIDsOfALowRateSpreadEvenly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProcess(t, memstore.NewServer(), "host")
		g := p.start("trade", nil)
		var buckets [16]int
		for range 1000 {
			buckets[mustNext(t, g)%16]++
			time.Sleep(time.Millisecond)
		}
		for i, n := range buckets {
			if n < 1000/16/2 || n > 2*1000/16 {
				t.Errorf("id %% 16 = %d: %d of 1000 ids", i, n)
			}
		}
		mustClose(t, g)
	})
}

// The sequence begins anew once it is past half, so that a burst finds at least half of the tick.
func TestASequenceThatIsPastHalfBeginsAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProcess(t, memstore.NewServer(), "host")
		g := p.start("trade", func(s *snowflake.Settings) { s.Bits.Sequence = new(3) })
		var got []int64
		for range 10 {
			got = append(got, parts(t, g, mustNext(t, g)).Sequence)
			time.Sleep(time.Millisecond)
		}
		for i, sequence := range got {
			if want := int64(i % 4); sequence != want {
				t.Errorf("sequences %v, want 0 to 3 in turn", got)
				break
			}
		}
		mustClose(t, g)
	})
}

func TestABurstBorrowsAtMostMaxAheadAndThenRunsAtTheLayoutsRate(t *testing.T) {
	for _, c := range []struct {
		name             string
		ahead            time.Duration
		borrowed, aTicks int
	}{
		{"the default", time.Second, 1001 * 16, 16},
		{"five ticks", 5 * time.Millisecond, 6 * 16, 16},
		{"none", 0, 16, 16},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newProcess(t, memstore.NewServer(), "host")
				g := p.start("trade", func(s *snowflake.Settings) { s.MaxAhead, s.Bits.Sequence = c.ahead, new(4) })
				began := time.Now()
				ids := make([]int64, c.borrowed+100*c.aTicks)
				if n, err := g.Fill(t.Context(), ids[:c.borrowed]); err != nil || time.Since(began) != 0 {
					t.Errorf("%d ids at once, %v, after %v", n, err, time.Since(began))
				}
				if n, err := g.Fill(t.Context(), ids[c.borrowed:]); err != nil || time.Since(began) != 100*time.Millisecond {
					t.Errorf("%d more, %v, after %v; want 100ms", n, err, time.Since(began))
				}
				for i, id := range ids {
					if i > 0 && id <= ids[i-1] {
						t.Fatalf("id %d after %d", id, ids[i-1])
					}
				}
				if ahead := time.Until(parts(t, g, ids[len(ids)-1]).Time); ahead > c.ahead {
					t.Errorf("the last id lies %v ahead", ahead)
				}
				began = time.Now()
				mustNext(t, g)
				if took := time.Since(began); took != time.Millisecond {
					t.Errorf("the next one came after %v, want 1ms", took)
				}
				mustClose(t, g)
			})
		})
	}
}

func TestWhoWaitsForATickIsToldAfterAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProcess(t, memstore.NewServer(), "host")
		g := p.start("trade", func(s *snowflake.Settings) { s.Unit, s.MaxAhead, s.Bits.Sequence = "s", 5*time.Second, new(0) })
		ids := make([]int64, 6)
		if n, err := g.Fill(t.Context(), ids); err != nil {
			t.Fatalf("%d, %v", n, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		n, err := g.Fill(ctx, ids)
		if n != 0 || !errors.Is(err, generators.ErrRateExceeded) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Fill = %d, %v", n, err)
		}
		began := time.Now()
		if n, err := g.Fill(t.Context(), ids); n != 6 || err != nil || time.Since(began).Round(time.Second) != 6*time.Second {
			t.Errorf("Fill = %d, %v after %v; want all, one a second", n, err, time.Since(began))
		}
		mustClose(t, g)
	})
}

// A second counts only as a whole: half a second of the window's ends may be somebody else's.
func TestSecondsLieInTheWindowAsAWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(300 * time.Millisecond)
		server := memstore.NewServer()
		p := newProcess(t, server, "host")
		g := p.start("trade", func(s *snowflake.Settings) { s.Unit = "s" })
		last := int64(0)
		for range 100 {
			id := mustNext(t, g)
			lease, at := p.lease(), parts(t, g, id).Time.UnixMilli()
			if at < lease.Floor || at+1000 > lease.Ceiling || id <= last {
				t.Fatalf("id %d after %d of second %d, window %+v", id, last, at, lease)
			}
			last = id
			time.Sleep(570 * time.Millisecond)
		}
		mustClose(t, g)
		if row, want := rows(t, server)[0], parts(t, g, last).Time.UnixMilli()+1000; row.NextFloor != want {
			t.Errorf("next floor %d, want %d", row.NextFloor, want)
		}
		again := p.start("trade", func(s *snowflake.Settings) { s.Unit = "s" })
		if id := mustNext(t, again); id <= last {
			t.Errorf("id %d after %d", id, last)
		}
		mustClose(t, again)
	})
}

func TestSecondsEndWithTheirWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(300 * time.Millisecond)
		p := newProcess(t, memstore.NewServer(), "host")
		g := p.start("trade", func(s *snowflake.Settings) { s.Unit = "s" })
		lease := p.lease()
		p.takeAway(lease)
		p.store.EveryAcquire(unreachable)
		ended := false
		for range 70 {
			time.Sleep(500 * time.Millisecond)
			id, err := g.Next(t.Context())
			switch {
			case errors.Is(err, generators.ErrLeaseExpired):
				ended = true
			case err != nil || ended:
				t.Fatalf("%d, %v", id, err)
			case parts(t, g, id).Time.UnixMilli()+1000 > lease.Ceiling:
				t.Fatalf("second %v, window %+v", parts(t, g, id).Time, lease)
			}
		}
		if !ended {
			t.Error("the window never ended")
		}
		mustClose(t, g)
	})
}

func TestFillTakesConsecutiveSequences(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProcess(t, memstore.NewServer(), "host")
		g := p.start("trade", nil)
		mustNext(t, g)
		ids := make([]int64, 5000)
		if n, err := g.Fill(t.Context(), ids); n != len(ids) || err != nil {
			t.Fatalf("%d, %v", n, err)
		}
		for i, id := range ids {
			at, n := parts(t, g, id), int64(i+1)
			if at.Sequence != n%4096 || time.Until(at.Time) != time.Duration(n/4096)*time.Millisecond {
				t.Fatalf("id %d: %+v", i, at)
			}
		}
		if n, err := g.Fill(t.Context(), nil); n != 0 || err != nil {
			t.Errorf("Fill of nothing: %d, %v", n, err)
		}
		mustClose(t, g)
	})
}

func TestTheTimestampsEndIsAnErrorAndNeverANegativeID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &lines{}
		p := newProcess(t, memstore.NewServer(), "host")
		p.spec.Logger = log.logger()
		const bits = 32 // of milliseconds, with 31 more, so that the sign comes next
		end := time.Now().Add(10 * time.Second)
		narrow := func(s *snowflake.Settings) {
			s.Epoch = generators.Epoch(end.UnixMilli() - 1<<bits)
			s.Bits = snowflake.Bits{Timestamp: new(bits), Slot: new(10), Sequence: new(21)}
		}
		g, wide := p.start("trade", narrow), p.start("other", nil)
		if n := log.count("end within a year"); n != 1 {
			t.Errorf("%d warnings of the end, want 1:\n%s", n, log)
		}
		last := drive(t, func() (int64, error) { return g.Next(t.Context()) }, 0, time.Millisecond, 10*time.Second)
		if at := parts(t, g, last); at.Tick != g.Layout().MaxTick() {
			t.Errorf("the last id %+v, want tick %d", at, g.Layout().MaxTick())
		}
		for range 3 {
			if id, err := g.Next(t.Context()); !errors.Is(err, generators.ErrTimestampExhausted) || id < 0 {
				t.Errorf("Next = %d, %v", id, err)
			}
			if n, err := g.Fill(t.Context(), make([]int64, 9)); !errors.Is(err, generators.ErrTimestampExhausted) || n != 0 {
				t.Errorf("Fill = %d, %v", n, err)
			}
			time.Sleep(20 * time.Second)
		}
		mustNext(t, wide)
		mustClose(t, g, wide)
		if n := log.count("end within a year"); n != 1 {
			t.Errorf("%d warnings of the end, want 1", n)
		}
		server := memstore.NewServer()
		server.MoveClock(time.Hour)
		later := newProcess(t, server, "host")
		if err := later.build("trade", func(s *snowflake.Settings) {
			narrow(s)
			s.Epoch += 2 * 60 * 1000
		}).Start(t.Context()); !errors.Is(err, generators.ErrTimestampExhausted) {
			t.Errorf("Start after the end: %v", err)
		}
	})
}

func TestLeaseStatsTellThatTheTimestampBitsAreUsedUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProcess(t, memstore.NewServer(), "host")
		g := p.start("trade", func(s *snowflake.Settings) {
			s.Epoch = generators.Epoch(time.Now().Add(10*time.Second).UnixMilli() - 1<<32)
			s.Bits = snowflake.Bits{Timestamp: new(32), Slot: new(10), Sequence: new(21)}
		})
		other := p.start("other", nil)
		mustNext(t, g)
		if s := g.LeaseStats(); s.State != generators.LeaseHeld || s.Remaining <= 0 || s.Err != nil {
			t.Errorf("before the end: %+v", s)
		}
		time.Sleep(11 * time.Second)
		if s := g.LeaseStats(); s.State != generators.LeaseExpired || s.Remaining != 0 ||
			!errors.Is(s.Err, generators.ErrTimestampExhausted) {
			t.Errorf("after the end: %+v", s)
		}
		if s := other.LeaseStats(); s.State != generators.LeaseHeld || s.Remaining <= 0 || s.Err != nil {
			t.Errorf("another layout: %+v", s)
		}
		mustClose(t, g)
		if s := g.LeaseStats(); s.Err != nil {
			t.Errorf("closed, which is no failure of the lease: %+v", s)
		}
		mustClose(t, other)
	})
}

// A burst that reaches the end borrows no tick beyond it, even where the last id is the largest int64.
func TestABurstStopsAtTheTimestampsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProcess(t, memstore.NewServer(), "host")
		p.spec.Slots.Limit = 1
		g := p.start("trade", func(s *snowflake.Settings) {
			s.Epoch = generators.Epoch(time.Now().UnixMilli() - 1<<39 + 10)
			s.Bits = snowflake.Bits{Timestamp: new(39), Slot: new(0), Sequence: new(12)}
		})
		ids := make([]int64, 11*4096)
		if n, err := g.Fill(t.Context(), ids); n != 10*4096 || !errors.Is(err, generators.ErrTimestampExhausted) {
			t.Errorf("Fill = %d, %v; want the ids of 10 ticks", n, err)
		}
		if last := ids[10*4096-1]; last != 1<<51-1 {
			t.Errorf("the last id is %d, want %d", last, int64(1)<<51-1)
		}
		if id, err := g.Next(t.Context()); !errors.Is(err, generators.ErrTimestampExhausted) {
			t.Errorf("Next = %d, %v", id, err)
		}
		mustClose(t, g)
	})
}

func TestAStoreClockBeforeTheEpochIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := memstore.NewServer()
		server.MoveClock(-48 * time.Hour)
		p := newProcess(t, server, "host")
		if err := p.build("trade", nil).Start(t.Context()); err == nil {
			t.Error("started before the epoch")
		}
		if row := rows(t, server)[0]; row.Owner != "" {
			t.Errorf("the slot is still leased: %+v", row)
		}
	})
}
