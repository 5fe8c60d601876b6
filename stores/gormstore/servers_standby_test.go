package gormstore_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gorm.io/gorm"

	"github.com/cosid-go/cosid/internal/servers"
	"github.com/cosid-go/cosid/stores"
)

// missingStandby: what only the primary has is lost by a failover, so it does not count.
func missingStandby(t *testing.T, s *server) {
	if s.driver == "mysql" {
		t.Log("not applicable: MariaDB acknowledges without its replicas once they are late, and tells nobody")
		return
	}
	dsn := s.newDSN(t)
	patient := newStarted(t, nil, s.options(dsn), 10*time.Second)
	hasty := newStarted(t, nil, s.options(s.with(dsn, "synchronous_commit", "local")), 300*time.Millisecond)
	admin := s.application(t, dsn, gorm.Config{}, 1)
	bringBack := loseStandby(t, s, admin, dsn)

	answer := make(chan error, 1)
	go func() {
		_, err := patient.Reserve(t.Context(), "shop/bill", 10, 1)
		answer <- err
	}()
	servers.Await(t, "somebody cancels the wait", func(ctx context.Context) error {
		return answered(admin.WithContext(ctx), `select cast(pg_cancel_backend(pid) as text) from pg_stat_activity
			where wait_event = 'SyncRep' and query like '%cosid_range%'`)
	})
	if err := <-answer; !errors.Is(err, stores.ErrOutcomeUnknown) || !strings.Contains(err.Error(), "on this server only") {
		t.Errorf("after a wait that was cancelled, reserve answered %v", err)
	}

	r, err := hasty.Reserve(t.Context(), "shop/local", 10, 1)
	if !errors.Is(err, stores.ErrOutcomeUnknown) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("with synchronous_commit=local in the DSN, reserve answered %v, %v", r, err)
	}

	bringBack()
	if r, err := patient.Reserve(t.Context(), "shop/bill", 10, 1); err != nil || r.Start != 11 {
		t.Errorf("without the standby, reserve answered %v, %v", r, err)
	}
}

// loseStandby makes every commit of the server wait for a standby that there is not, until bringBack is called.
func loseStandby(t *testing.T, s *server, admin *gorm.DB, dsn string) (bringBack func()) {
	t.Helper()
	const reload = `select pg_reload_conf()`
	writer := s.application(t, dsn, gorm.Config{}, 1)
	var waits atomic.Bool
	var writing sync.WaitGroup
	bringBack = sync.OnceFunc(func() {
		waits.Store(true)
		execute(t, admin, `alter system reset synchronous_standby_names`, reload)
		writing.Wait()
	})
	t.Cleanup(bringBack)
	execute(t, admin, `alter system set synchronous_standby_names = 'standby'`, reload)
	writing.Go(func() { // the server takes the setting over in its own time: it has once this one waits
		for !waits.Load() {
			if err := writer.Exec(`select pg_logical_emit_message(true, 'cosid', '')`).Error; err != nil {
				t.Error(err)
				return
			}
		}
	})
	servers.Await(t, "a commit waits for the standby", func(ctx context.Context) error {
		return answered(admin.WithContext(ctx), `select cast(pid as text) from pg_stat_activity where wait_event = 'SyncRep'`)
	})
	waits.Store(true)
	return bringBack
}

// answered is an error if a query has no rows.
func answered(db *gorm.DB, query string) error {
	var answers []string
	err := db.Raw(query).Scan(&answers).Error
	if err == nil && len(answers) == 0 {
		err = errors.New("nobody")
	}
	return err
}
