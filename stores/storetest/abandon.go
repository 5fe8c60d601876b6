package storetest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cosid-go/cosid/stores"
)

// The checks of S4.

// patience is how long after the end of its context a call may return. It allows for a busy machine, and is far
// below the time for which a frozen server would otherwise hold a call.
const patience = 2 * time.Second

func abandonedReserves(t *trial) error {
	const callers, rounds = 8, 30
	clients, err := t.openMany(4)
	if err != nil {
		return err
	}
	var h history
	err = parallel(callers, func(caller int) error {
		for round := range rounds {
			client := clients[(caller+round)%len(clients)]
			// From far too little time to enough, differently for every caller.
			given := time.Duration((caller*7+round*13)%40) * 100 * time.Microsecond
			if err := reserveWithin(t.ctx, &h, client, t.key("bill"), given); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, client := range clients {
		if _, err := h.reserve(t.ctx, client, t.key("bill"), 10, 1); err != nil {
			return err
		}
	}
	return h.check()
}

// reserveWithin reserves with little time and, if that is not enough, once more with plenty.
func reserveWithin(ctx context.Context, h *history, client Store, key string, given time.Duration) error {
	short, cancel := context.WithTimeout(ctx, given)
	defer cancel()
	_, err := h.reserve(short, client, key, 10, 1)
	if err == nil {
		return nil
	}
	if !endedBy(err, short) {
		return fmt.Errorf("with %v of time: %w; want the context's error or ErrOutcomeUnknown", given, err)
	}
	_, err = h.reserve(ctx, client, key, 10, 1)
	return err
}

// endedBy tells whether err is what a call may say whose context has ended.
func endedBy(err error, ctx context.Context) bool {
	return ctx.Err() != nil && (errors.Is(err, ctx.Err()) || errors.Is(err, stores.ErrOutcomeUnknown))
}

func doneContext(t *trial) error {
	client, err := t.open()
	if err != nil {
		return err
	}
	cancelled, cancel := context.WithCancel(t.ctx)
	cancel()
	expired, cancel := context.WithDeadline(t.ctx, time.Now().Add(-time.Second))
	defer cancel()

	key := t.key("bill")
	for _, ctx := range []context.Context{cancelled, expired} {
		if r, err := client.Reserve(ctx, key, 10, 1); !errors.Is(err, ctx.Err()) {
			return fmt.Errorf("reserve with a context that is done answered %v and error %v, want %w", r, err, ctx.Err())
		}
		if sealer, ok := client.(stores.Sealer); ok {
			if _, err := sealer.Seal(ctx, t.key("unsealed")); !errors.Is(err, ctx.Err()) {
				return fmt.Errorf("seal with a context that is done answered error %v, want %w", err, ctx.Err())
			}
		}
	}
	// Nothing was sent, so nothing happened.
	return errors.Join(
		t.expect(client, key, 10, 1, 1),
		t.expect(client, t.key("unsealed"), 10, 1, 1),
	)
}

func frozenServer(t *trial) error {
	clients, err := t.openMany(2)
	if err != nil {
		return err
	}
	key := t.key("bill")
	var h history
	if _, err := h.reserve(t.ctx, clients[0], key, 10, 1); err != nil {
		return err
	}
	if err := t.whileFrozen(func() error { return callsEnd(t.ctx, &h, clients, key) }); err != nil {
		return err
	}
	for i := range 10 {
		if _, err := h.reserve(t.ctx, clients[i%2], key, 10, 1); err != nil {
			return fmt.Errorf("after the server answers again: %w", err)
		}
	}
	return h.check()
}

func (t *trial) whileFrozen(fn func() error) error {
	thaw, err := t.harness.Freeze(t.ctx)
	if err != nil {
		return fmt.Errorf("freeze: %w", err)
	}
	err = fn()
	if thawErr := thaw(); thawErr != nil {
		err = errors.Join(err, fmt.Errorf("thaw: %w", thawErr))
	}
	return err
}

// callsEnd makes calls, some cancelled and some timed out, and demands that each ends soon after its context.
func callsEnd(ctx context.Context, h *history, clients []Store, key string) error {
	const given = 100 * time.Millisecond
	return parallel(4, func(caller int) error {
		short, cancel := context.WithTimeout(ctx, given)
		if caller%2 == 0 {
			cancel()
			short, cancel = context.WithCancel(ctx)
			time.AfterFunc(given, cancel)
		}
		defer cancel()

		ended := make(chan error, 1)
		go func() {
			_, err := h.reserve(short, clients[caller%len(clients)], key, 10, 1)
			ended <- err
		}()
		select {
		case err := <-ended:
			if !endedBy(err, short) {
				return fmt.Errorf("a call to a frozen server answered error %v, want its context's error", err)
			}
			return nil
		case <-time.After(given + patience):
			return fmt.Errorf("a call to a frozen server still waits %v after its context ended", patience)
		}
	})
}
