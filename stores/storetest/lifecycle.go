package storetest

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/cosid-go/cosid/stores"
)

// The checks of opening and closing.

func lifeCycle(t *trial) error {
	other, err := t.open()
	if err != nil {
		return err
	}
	key := t.key("bill")
	store, err := t.unstarted()
	if err != nil {
		return err
	}
	if err := t.unusable(store, key); err != nil {
		return fmt.Errorf("before Start: %w", err)
	}
	if err := store.Start(t.ctx); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	if err := t.expect(store, key, 1, 1, 1); err != nil {
		return err
	}
	for i := range 3 {
		if err := store.Close(); err != nil {
			return fmt.Errorf("close, time %d: %w", i+1, err)
		}
		if err := t.unusable(store, key); err != nil {
			return fmt.Errorf("after Close: %w", err)
		}
	}
	unstarted, err := t.unstarted()
	if err != nil {
		return err
	}
	if err := errors.Join(unstarted.Close(), unstarted.Close()); err != nil {
		return fmt.Errorf("close before Start: %w", err)
	}
	if err := t.expect(other, key, 1, 1, 2); err != nil {
		return fmt.Errorf("another client, after the first was closed: %w", err)
	}
	return nil
}

func (t *trial) unusable(store Store, key string) error {
	if err := t.refused(store, key, 1, 1, stores.ErrClosed); err != nil {
		return err
	}
	if sealer, ok := store.(stores.Sealer); ok {
		if _, err := sealer.Seal(t.ctx, key); !errors.Is(err, stores.ErrClosed) {
			return fmt.Errorf("seal answered error %v, want ErrClosed", err)
		}
	}
	return nil
}

func closeUnderConcurrency(t *trial) error {
	const callers = 6
	clients, err := t.openMany(2)
	if err != nil {
		return err
	}
	key := t.key("bill")
	var h history
	var closed atomic.Bool // Close has returned
	err = parallel(callers+1, func(caller int) error {
		if caller == callers {
			defer closed.Store(true)
			if _, err := h.reserve(t.ctx, clients[1], key, 10, 1); err != nil { // lets the others begin
				return err
			}
			return clients[0].Close()
		}
		for {
			closedBefore := closed.Load()
			_, err := h.reserve(t.ctx, clients[0], key, 10, 1)
			switch {
			case errors.Is(err, stores.ErrClosed):
				return nil
			case err != nil && !errors.Is(err, stores.ErrOutcomeUnknown):
				return fmt.Errorf("while the store closes: %w; want ErrClosed", err)
			case closedBefore:
				return fmt.Errorf("a reserve after Close answered error %v, want ErrClosed", err)
			}
		}
	})
	if err != nil {
		return err
	}
	if _, err := h.reserve(t.ctx, clients[1], key, 10, 1); err != nil {
		return err
	}
	return h.check()
}

func reopened(t *trial) error {
	return t.goesOnAfter(t.closeAll)
}

func restarted(t *trial) error {
	return t.goesOnAfter(func() error {
		if err := t.closeAll(); err != nil {
			return err
		}
		return t.harness.Restart(t.ctx)
	})
}

// goesOnAfter demands that counters and seals outlive an interruption, three times.
func (t *trial) goesOnAfter(interrupt func() error) error {
	bill, sealed := t.key("bill"), t.key("sealed")
	store, err := t.open()
	if err != nil {
		return err
	}
	if err := t.expect(store, sealed, 1, 1, 1); err != nil {
		return err
	}
	sealer, seals := store.(stores.Sealer)
	if seals {
		if _, err := sealer.Seal(t.ctx, sealed); err != nil {
			return err
		}
	}
	for next := int64(1); ; next += 100 {
		if err := t.expect(store, bill, 100, 1, next); err != nil {
			return err
		}
		if seals {
			if err := t.refused(store, sealed, 1, 1, stores.ErrRangeSealed); err != nil {
				return err
			}
		}
		if next > 300 {
			return nil
		}
		if err := interrupt(); err != nil {
			return err
		}
		if store, err = t.open(); err != nil {
			return err
		}
	}
}
