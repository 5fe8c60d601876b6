package runtime_test

import (
	"context"
	"io"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cosid-go/cosid/config"
	"github.com/cosid-go/cosid/runtime"
)

func TestCloseEndsAStartThatStillWaitsForItsStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fakeStore{journal: &journal{}, name: "db", start: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }}
		rt, err := runtime.New(&config.Config{Enabled: true, Stores: []config.Store{{Name: "db", Factory: s, Opening: 10 * time.Second}}},
			runtime.Options{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
		if err != nil {
			t.Fatal(err)
		}
		started := make(chan error, 1)
		go func() { started <- rt.Start(t.Context()) }()
		synctest.Wait()
		begin := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		err = rt.Close(ctx)
		if took := time.Since(begin); took > 100*time.Millisecond {
			t.Errorf("Close took %v with a context of 100ms (%v)", took, err)
		}
		if err := <-started; err == nil {
			t.Error("Start succeeded after Close")
		}
	})
}
