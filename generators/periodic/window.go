package periodic

import (
	"context"
	"fmt"
	"time"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/generators/segment"
	"github.com/cosid-go/cosid/stores"
)

// window is one period and the generator of its ids, as one immutable unit: the clock that chose the window also chose
// where the id comes from. The zero window serves no moment.
type window struct {
	interval
	ids *segment.Generator

	// What the hot path compares, in nanoseconds of Unix time. A window serves less than its period at first: at
	// the prewarm moment a call is to stop and prepare the next one.
	from, length int64
}

// serves tells whether ids may be taken from w at now without a further look.
func (w *window) serves(now time.Time) bool {
	return uint64(now.UnixNano()-w.from) < uint64(w.length)
}

// contains tells whether w's period contains now.
func (w *window) contains(now time.Time) bool {
	return w.ids != nil && !now.Before(w.start) && now.Before(w.end)
}

// until returns a window like w that serves from its start until end.
func (w *window) until(end time.Time) *window {
	from := w.start.UnixNano()
	return &window{interval: w.interval, ids: w.ids, from: from, length: max(end.UnixNano()-from, 0)}
}

// window is the window of the present moment, and that moment.
//
// The pointer is loaded before the clock is read: a call that was held up between the two then meets a window that is
// over, not a clock that seems to have stepped back.
func (g *Generator) window() (*window, time.Time, error) {
	w := g.current.Load()
	now := g.clock()
	if w.serves(now) {
		return w, now, nil
	}
	w, err := g.move()
	return w, now, err
}

// move brings the windows in line with the clock: it prepares the next period when the prewarm moment has come, and
// enters another period when the clock has left the current one.
func (g *Generator) move() (*window, error) {
	g.mu.Lock()
	w, entered, err := g.follow()
	g.mu.Unlock()
	if hook := g.options.Hooks.OnPeriodOpened; hook != nil && entered && err == nil {
		hook(g.event(w.interval))
	}
	return w, err
}

// follow is move without the hook. Under mu.
func (g *Generator) follow() (w *window, entered bool, err error) {
	if g.closed {
		return nil, false, fmt.Errorf("periodic: next id of %q: %w", g.key, generators.ErrClosed)
	}
	now := g.clock()
	w = g.current.Load()
	if !w.contains(now) {
		if w, err = g.enter(g.calendar.at(now), now); err != nil {
			return nil, false, err
		}
		entered = true
	}
	if !w.serves(now) {
		w, err = g.prewarm(w, now)
	}
	return w, entered, err
}

// prewarm prepares the period after w, and lets w serve until its end. Under mu.
func (g *Generator) prewarm(w *window, now time.Time) (*window, error) {
	if g.next == nil {
		next, err := g.open(g.calendar.after(w.interval), now, w.ids.Stats().Rate)
		if err != nil {
			return nil, err
		}
		next.ids.Prefetch()
		g.next = next
	}
	w = w.until(w.end)
	g.current.Store(w)
	return w, nil
}

// enter makes the window of period the current one. Under mu.
//
// After a step back of the clock the period that was current becomes the next one again, if it is. A period that
// was left is entered anew, with ranges above those it had.
func (g *Generator) enter(period interval, now time.Time) (*window, error) {
	old, next := g.current.Load(), g.next
	var w, follower *window
	if next != nil && next.period == period.period {
		w, next = next, nil
		w.ids.Open()
	} else {
		rate := g.options.InitialRate
		if old.ids != nil {
			rate = old.ids.Stats().Rate
		}
		var err error
		if w, err = g.open(period, now, rate); err != nil {
			return nil, err
		}
	}
	if old.ids != nil && old.start.Equal(period.end) {
		old, follower = nil, old.until(g.prewarmMoment(old.interval))
	}
	g.current.Store(w)
	g.next = follower
	g.retire(old)
	g.retire(next)
	return w, nil
}

// open makes the window of a period, with a generator that expects rate ids a second. It does no I/O. Under mu.
func (g *Generator) open(period interval, now time.Time, rate float64) (*window, error) {
	ids, err := segment.New(g.store, stores.PeriodKey(g.key, period.period), g.policy.Policy, segment.Options{
		Name:         g.options.Name,
		StoreTimeout: g.options.StoreTimeout,
		Hooks:        g.options.Hooks,
		Logger:       g.options.Logger,
		Floor:        g.past.floor(period.period),
		InitialRate:  rate,
		Opens:        time.Now().Add(period.start.Sub(now)),
	})
	if err != nil {
		return nil, err
	}
	w := &window{interval: period, ids: ids}
	return w.until(g.prewarmMoment(period)), nil
}

// prewarmMoment is when the period that follows p is to be prepared: the end of p for a prewarm of 0.
func (g *Generator) prewarmMoment(p interval) time.Time { return p.end.Add(-g.policy.Prewarm) }

// retire closes a window that is no longer held, in the background. Under mu.
func (g *Generator) retire(w *window) {
	if w == nil || w.ids == nil {
		return
	}
	g.past.leave(w)
	g.tasks.Go(func() {
		// Without a bound: Close of the Generator is what waits, within the bounds of its own caller.
		_ = w.ids.Close(context.Background())
		g.mu.Lock()
		defer g.mu.Unlock()
		g.past.bury(w)
	})
}

func (g *Generator) event(p interval) generators.PeriodEvent {
	return generators.PeriodEvent{
		Generator: g.options.Name, Key: stores.PeriodKey(g.key, p.period), Period: p.period,
	}
}
