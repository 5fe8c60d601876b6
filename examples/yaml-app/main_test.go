package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/libtnb/sqlite"
	"go.uber.org/goleak"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// files of one test: the ids' and the application's.
func testOptions(t *testing.T, bills int) options {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("IDS_FILE", filepath.Join(dir, "cosid.db"))
	return options{bills: bills, config: "cosid.yaml", dsn: filepath.Join(dir, "app.db")}
}

func openForReading(t *testing.T, file string) *gorm.DB {
	t.Helper()
	db, err := gorm.Open(sqlite.Open("file:"+file+"?_pragma=busy_timeout(10000)"), &gorm.Config{Logger: logger.Discard})
	if err != nil {
		t.Fatal(err)
	}
	pool, err := db.DB()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pool.Close() })
	return db
}

// table runs the example and returns the cells of what it prints.
func table(t *testing.T, o options) [][]string {
	t.Helper()
	var out bytes.Buffer
	if err := run(t.Context(), &out, o); err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for _, line := range strings.Split(out.String(), "\n") {
		if strings.HasPrefix(line, "BIZ-") {
			rows = append(rows, strings.Fields(line))
		}
	}
	return rows
}

func TestTheSecondRunGoesOnWhereTheFirstOneWas(t *testing.T) {
	o := testOptions(t, 9)
	seen := map[string]bool{}
	last := map[string]int{} // by period: midnight may come between the runs
	for range 3 {
		for _, row := range table(t, o) {
			number, period := row[0], row[1]
			value, err := strconv.Atoi(row[2])
			if err != nil || !strings.HasPrefix(number, "BIZ-"+period+"-") {
				t.Fatalf("row %q", row)
			}
			if seen[number] || value <= last[period] {
				t.Errorf("bill %s came again or out of order after %d", number, last[period])
			}
			seen[number], last[period] = true, value
		}
	}
	if len(seen) != 27 {
		t.Errorf("printed %d bills, want 27", len(seen))
	}
}

func TestRowsInTheDatabaseAreFilledAndBelongTogether(t *testing.T) {
	o := testOptions(t, 9)
	table(t, o)
	db := openForReading(t, o.dsn)
	var bills []Bill
	if err := db.Preload("Order.Items").Find(&bills).Error; err != nil {
		t.Fatal(err)
	}
	items := 0
	for _, bill := range bills {
		if bill.No == "" || bill.OrderID == 0 || bill.Order.ID != bill.OrderID {
			t.Errorf("bill %+v", bill)
		}
		for _, item := range bill.Order.Items {
			items++
			if item.ID == 0 || item.OrderID != bill.OrderID {
				t.Errorf("item %+v of order %d", item, bill.OrderID)
			}
		}
	}
	if len(bills) != 9 || items != 6 {
		t.Errorf("%d bills with %d items, want 9 with 6", len(bills), items)
	}
}

func TestNonsenseIsRefusedWithTheReason(t *testing.T) {
	o := testOptions(t, 0)
	if err := run(t.Context(), &bytes.Buffer{}, o); err == nil || !strings.Contains(err.Error(), "-n 0") {
		t.Errorf("got %v", err)
	}
	out, err := exec.Command(build(t), "-config", "missing.yaml", "-dsn", o.dsn).CombinedOutput()
	if err == nil || !bytes.Contains(out, []byte("missing.yaml: cannot be read")) {
		t.Errorf("got %v\n%s", err, out)
	}
}

// build compiles the example.
func build(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "yaml-app")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return binary
}

// Eight processes on one file, three of them killed half-way: no number comes twice, no row is without one. The full size
// is COSID_STRESS_BILLS=5000, of each process.
func TestProcessesShareOneFileAndMayDie(t *testing.T) {
	const processes, killed = 8, 3
	each := 2500
	if n, err := strconv.Atoi(os.Getenv("COSID_STRESS_BILLS")); err == nil {
		each = n
	}
	o := testOptions(t, each)
	binary := build(t)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	running := make([]*exec.Cmd, processes)
	output := make([]bytes.Buffer, processes)
	for i := range running {
		running[i] = exec.CommandContext(ctx, binary, "-n", strconv.Itoa(each), "-config", o.config, "-dsn", o.dsn)
		running[i].Stdout, running[i].Stderr = &output[i], &output[i]
		if err := running[i].Start(); err != nil {
			t.Fatal(err)
		}
	}
	db := openForReading(t, o.dsn)
	waitForBills(t, db, int64(processes*each/10))
	for _, p := range running[:killed] {
		if err := p.Process.Kill(); err != nil {
			t.Fatal(err)
		}
	}
	for i, p := range running {
		if err := p.Wait(); (err == nil) == (i < killed) {
			t.Errorf("process %d ended with %v\n%s", i, err, output[i].Bytes())
		}
	}
	var found struct{ Bills, Numbers, Empty, Orders int64 }
	if err := db.Raw(`SELECT count(*) AS bills, count(DISTINCT no) AS numbers, count(*) FILTER (WHERE no = '') AS empty,
		count(DISTINCT order_id) AS orders FROM bills`).Scan(&found).Error; err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bills of %d processes, %d of them killed", found.Bills, processes, killed)
	if found.Numbers != found.Bills || found.Orders != found.Bills || found.Empty != 0 || found.Bills < int64((processes-killed)*each) {
		t.Errorf("found %+v", found)
	}
	o.bills = 30
	for _, row := range table(t, o) {
		var times int64
		if err := db.Raw("SELECT count(*) FROM bills WHERE no = ?", row[0]).Scan(&times).Error; err != nil || times != 1 {
			t.Errorf("bill %s stands in the database %d times, %v", row[0], times, err)
		}
	}
}

// waitForBills waits until the processes together have created that many.
func waitForBills(t *testing.T, db *gorm.DB, wanted int64) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); <-tick.C {
		var bills int64
		if err := db.Raw("SELECT count(*) FROM bills").Scan(&bills).Error; err == nil && bills >= wanted {
			return
		}
	}
	t.Fatalf("the processes did not create %d bills in time", wanted)
}
