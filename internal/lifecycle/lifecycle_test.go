package lifecycle_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cosid-go/cosid/internal/lifecycle"
	"github.com/cosid-go/cosid/stores"
)

// shop counts what is shut: what Start opens here is a number above 0.
type shop struct {
	lifecycle.Life[int]
	shut []int
}

func (s *shop) start(ctx context.Context, opened int, err error) error {
	return s.Start(ctx, func(context.Context) (int, error) { return opened, err }, s.close)
}

func (s *shop) close(opened int) error {
	if opened != 0 {
		s.shut = append(s.shut, opened)
	}
	return nil
}

func (s *shop) shutJust(t *testing.T, want ...int) {
	t.Helper()
	if len(s.shut) != len(want) {
		t.Fatalf("shut %v, want %v", s.shut, want)
	}
	for i := range want {
		if s.shut[i] != want[i] {
			t.Fatalf("shut %v, want %v", s.shut, want)
		}
	}
}

func TestCallsAreServedBetweenStartAndClose(t *testing.T) {
	var s shop
	if _, err := s.Enter(); !errors.Is(err, stores.ErrClosed) {
		t.Errorf("before Start: %v", err)
	}
	if err := s.start(t.Context(), 1, nil); err != nil {
		t.Fatal(err)
	}
	if opened, err := s.Enter(); err != nil || opened != 1 {
		t.Errorf("got %d, %v", opened, err)
	}
	s.Leave()
	if err := s.start(t.Context(), 2, nil); err == nil || errors.Is(err, stores.ErrClosed) {
		t.Errorf("a second Start: %v", err)
	}
	for range 2 {
		if err := s.Close(s.close); err != nil {
			t.Error(err)
		}
	}
	if _, err := s.Enter(); !errors.Is(err, stores.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	if err := s.start(t.Context(), 3, nil); !errors.Is(err, stores.ErrClosed) {
		t.Errorf("Start after Close: %v", err)
	}
	s.shutJust(t, 1)
}

func TestAStartThatFailedLeavesNothingOpenAndMayBeRepeated(t *testing.T) {
	var s shop
	broken := errors.New("broken")
	if err := s.start(t.Context(), 1, broken); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	s.shutJust(t, 1)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.start(ended, 2, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that is over: %v", err)
	}
	if err := s.start(t.Context(), 3, nil); err != nil {
		t.Fatal(err)
	}
	if opened, err := s.Enter(); err != nil || opened != 3 {
		t.Errorf("got %d, %v", opened, err)
	}
	s.Leave()
	s.shutJust(t, 1)
}

func TestCloseEndsAStartThatIsUnderWay(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error // what open makes of the end of its context
	}{{"and fails", context.Canceled}, {"and succeeds all the same", nil}} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var s shop
				started := make(chan error, 1)
				go func() {
					started <- s.Start(t.Context(), func(ctx context.Context) (int, error) {
						<-ctx.Done()
						if cause := context.Cause(ctx); !errors.Is(cause, stores.ErrClosed) {
							t.Errorf("the cause is %v", cause)
						}
						return 1, c.err
					}, s.close)
				}()
				synctest.Wait()
				if err := s.Close(s.close); err != nil {
					t.Error(err)
				}
				s.shutJust(t, 1) // Close has waited for it
				if err := <-started; !errors.Is(err, answerTo(c.err)) {
					t.Errorf("Start: %v", err)
				}
			})
		})
	}
}

// answerTo is what Start answers for what open has answered, once the store is closed.
func answerTo(err error) error {
	if err != nil {
		return err
	}
	return stores.ErrClosed
}

func TestCloseWaitsForTheCallsInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s shop
		if err := s.start(t.Context(), 1, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Enter(); err != nil {
			t.Fatal(err)
		}
		closed := make(chan error, 1)
		go func() { closed <- s.Close(s.close) }()
		synctest.Wait()
		s.shutJust(t)
		if _, err := s.Enter(); !errors.Is(err, stores.ErrClosed) {
			t.Errorf("a call while the store is being closed: %v", err)
		}
		s.Leave()
		if err := <-closed; err != nil {
			t.Error(err)
		}
		s.shutJust(t, 1)
	})
}

func TestAStartWithoutDeadlineIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s shop
		began := time.Now()
		err := s.Start(context.Background(), func(ctx context.Context) (int, error) {
			<-ctx.Done()
			return 0, context.Cause(ctx)
		}, s.close)
		if took := time.Since(began); took != lifecycle.StartPatience || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v after %v", err, took)
		}
	})
}
