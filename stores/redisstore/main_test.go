package redisstore_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if task := os.Getenv(workerEnv); task != "" {
		os.Exit(work(task))
	}
	goleak.VerifyTestMain(m)
}
