package endurance_test

import (
	"flag"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// moreAtOnce runs more tests beside each other than there are processors, unless the command line says how many: most
// of the time they wait.
func moreAtOnce() {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		_ = flag.Set("test.parallel", "5")
	}
}

func TestMain(m *testing.M) {
	if task := os.Getenv(workerEnv); task != "" {
		os.Exit(work(task))
	}
	moreAtOnce()
	goleak.VerifyTestMain(m)
}
