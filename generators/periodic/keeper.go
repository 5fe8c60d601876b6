package periodic

import (
	"context"
	"log/slog"
	"time"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/stores"
)

const (
	// clockCheck is how often the keeper looks at the clock at least, since it may be stepped.
	clockCheck = time.Minute

	// The wait after a failed seal doubles from the first to the second.
	firstSealBackoff = 100 * time.Millisecond
	lastSealBackoff  = time.Minute
)

// keeper seals the keys of periods that ended seal-after ago, as the generator's clock sees it: never those of the
// current period or of a later one.
//
// It remembers nothing across restarts, and sealing is idempotent, so it looks back from its start: over 31 days, 12
// months or 2 years, each a call to the store. Periods that were never used are sealed too: their keys then never
// come to be.
type keeper struct {
	generator *Generator
	sealer    stores.Sealer
	lookBack  int // in periods
	logger    *slog.Logger

	life context.Context
	stop context.CancelFunc

	sealed  map[string]bool // periods that need no call any more
	failing bool
}

func newKeeper(g *Generator, sealer stores.Sealer) *keeper {
	k := &keeper{
		generator: g,
		sealer:    sealer,
		logger:    g.options.Logger.With("generator", g.options.Name, "key", g.key),
		sealed:    make(map[string]bool),
	}
	switch g.calendar.Period {
	case generators.YearMonthDay:
		k.lookBack = 31
	case generators.YearMonth:
		k.lookBack = 12
	default:
		k.lookBack = 2
	}
	k.life, k.stop = context.WithCancel(context.Background())
	return k
}

// probe seals the latest period that is due, to see whether the store can. A store that does not answer is given the
// benefit of the doubt.
func (k *keeper) probe(ctx context.Context) error {
	due, _ := k.due()
	sealed, err := k.sealer.Seal(ctx, k.key(due[0]))
	if err == nil && !sealed {
		return errCannotSeal()
	}
	return nil
}

// run seals until stop.
func (k *keeper) run() {
	backoff := time.Duration(0)
	for {
		wait, err := k.round()
		switch {
		case k.life.Err() != nil:
			return
		case err != nil:
			backoff = min(max(2*backoff, firstSealBackoff), lastSealBackoff)
			wait = backoff
		default:
			backoff = 0
		}
		k.report(err)
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-k.life.Done():
			timer.Stop()
			return
		}
	}
}

// round seals what is due and returns how long to wait for more. It stops at the first failure.
func (k *keeper) round() (time.Duration, error) {
	due, wait := k.due()
	for _, p := range due {
		if k.sealed[p.period] {
			continue
		}
		sealed, err := k.sealer.Seal(k.life, k.key(p))
		if err == nil && !sealed {
			err = errCannotSeal()
		}
		if err != nil {
			return 0, err
		}
		k.sealed[p.period] = true
		if hook := k.generator.options.Hooks.OnPeriodSealed; hook != nil {
			hook(k.generator.event(p))
		}
	}
	k.forget(due[len(due)-1].period)
	return wait, nil
}

// due lists the periods that ended seal-after ago or earlier, back to the look-back, the latest first; and for how
// long nothing joins them.
func (k *keeper) due() ([]interval, time.Duration) {
	calendar := k.generator.calendar
	line := k.generator.clock().Add(-k.generator.policy.SealAfter)
	p := calendar.at(line)
	wait := min(p.end.Sub(line), clockCheck)
	due := make([]interval, k.lookBack)
	for i := range due {
		p = calendar.before(p)
		due[i] = p
	}
	return due, wait
}

// forget bounds the memory of what was sealed. Names of periods sort as the periods do. Some older ones are kept, for a
// clock that steps back.
func (k *keeper) forget(oldest string) {
	if len(k.sealed) <= 4*k.lookBack {
		return
	}
	for period := range k.sealed {
		if period < oldest {
			delete(k.sealed, period)
		}
	}
}

// report logs the first of several failures, and their end.
func (k *keeper) report(err error) {
	switch {
	case err != nil && !k.failing:
		k.logger.Warn("cannot seal periods that are over; retrying with back-off, silently", "error", err)
	case err == nil && k.failing:
		k.logger.Info("periods are sealed again")
	}
	k.failing = err != nil
}

func (k *keeper) key(p interval) string { return stores.PeriodKey(k.generator.key, p.period) }
