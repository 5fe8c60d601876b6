package gormstore

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cosid-go/cosid/stores"
)

// A call of several statements leaves the last one the same time to end in its own way as a call of one.
func TestPatienceIsThatOfTheCallAndNotOfEachStatement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Store{spec: stores.Spec{Timeout: time.Second}}
		ctx := context.WithValue(t.Context(), callBegan{}, time.Now())
		if got := s.lockPatience(ctx); got != 900*time.Millisecond {
			t.Errorf("at first: %v", got)
		}
		time.Sleep(700 * time.Millisecond)
		if got := s.lockPatience(ctx); got != 200*time.Millisecond {
			t.Errorf("after 700ms: %v", got)
		}
		if got := s.lockPatience(t.Context()); got != 900*time.Millisecond {
			t.Errorf("outside of a call: %v", got)
		}
	})
}
