package gormstore_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if task := os.Getenv(workerEnv); task != "" {
		os.Exit(work(task))
	}
	// The cache of an application's GORM with PrepareStmt never ends its goroutine.
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("gorm.io/gorm/internal/lru.NewLRU[...].func1"))
}
