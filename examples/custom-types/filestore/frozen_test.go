//go:build unix && !aix && !solaris

package filestore_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/cosid-go/cosid/examples/custom-types/filestore"
	"github.com/cosid-go/cosid/stores"
)

// Nothing was written while the lock was awaited, so the error must not say that the outcome is unknown.
func TestAHeldLockEndsWithTheStoresTimeout(t *testing.T) {
	dir := t.TempDir()
	patient := started(t, dir)
	release, err := holdLock(dir)
	if err != nil {
		t.Fatal(err)
	}
	options := &filestore.Options{Dir: dir, Poll: time.Millisecond}
	hasty, err := filestore.Factory{}.Build(stores.Spec{Name: "disk", Timeout: 20 * time.Millisecond}, options)
	if err != nil {
		t.Fatal(err)
	}
	if err := hasty.Start(t.Context()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Start: %v, want the timeout", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = patient.Reserve(ctx, "shop/bill", 1, 1)
	if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, stores.ErrOutcomeUnknown) {
		t.Errorf("Reserve: %v, want the end of ctx and a known outcome", err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if r, err := patient.Reserve(t.Context(), "shop/bill", 1, 1); err != nil || r.Start != 1 {
		t.Errorf("after the lock is free: %v, %v", r, err)
	}
}
