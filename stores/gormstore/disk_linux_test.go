package gormstore_test

import (
	"errors"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cosid-go/cosid/stores/gormstore"
)

// smallDisk mounts a disk of 512 KiB, which only root may do.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "cosid-disk-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(dir) })
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=512k"); err != nil {
		t.Skipf("NOT TESTED: a small disk cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// fill writes a file that takes all the room there is.
func fill(t *testing.T, disk string) {
	t.Helper()
	file, err := os.Create(filepath.Join(disk, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for block := make([]byte, 4096); err == nil; {
		_, err = file.Write(block)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
}

// makeFolderFor makes a folder that a user owns.
func makeFolderFor(t *testing.T, path, userName string) {
	t.Helper()
	account, err := user.Lookup(userName)
	if err != nil {
		t.Fatal(err)
	}
	uid, uidErr := strconv.Atoi(account.Uid)
	gid, gidErr := strconv.Atoi(account.Gid)
	if err := errors.Join(uidErr, gidErr, os.Mkdir(path, 0o700), os.Chown(path, uid, gid)); err != nil {
		t.Fatal(err)
	}
}

func TestFullDiskIsAnErrorThatSaysSo(t *testing.T) {
	disk := smallDisk(t)
	options := gormstore.DefaultOptions()
	options.DSN = filepath.Join(disk, "cosid.db")
	store := newStarted(t, nil, options, time.Second)
	if _, err := store.Reserve(t.Context(), "shop/bill", 10, 1); err != nil {
		t.Fatal(err)
	}
	fill(t, disk)
	var err error
	for range 1000 {
		if _, err = store.Reserve(t.Context(), "shop/bill", 10, 1); err != nil {
			break
		}
	}
	if err == nil || !strings.Contains(err.Error(), "disk is full; make room") {
		t.Errorf("reserve answered %v", err)
	}
	if err := os.Remove(filepath.Join(disk, "filler")); err != nil {
		t.Fatal(err)
	}
	if r, err := store.Reserve(t.Context(), "shop/bill", 10, 1); err != nil || r.Start < 11 {
		t.Errorf("with room again: %v, %v", r, err)
	}
}
