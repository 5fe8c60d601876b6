package servers

import (
	"bytes"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	goruntime "runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// attributes makes a child end with the thread that started it, so that a test that is killed leaves no server behind.
func attributes(userName string) (*syscall.SysProcAttr, error) {
	attributes := &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if userName == "" || os.Getuid() != 0 {
		return attributes, nil
	}
	uid, gid, err := idsOf(userName)
	attributes.Credential = &syscall.Credential{Uid: uid, Gid: gid}
	return attributes, err
}

// giveTo makes the user the owner of a folder, where the test runs as root.
func giveTo(dir, userName string) error {
	if os.Getuid() != 0 {
		return nil
	}
	uid, gid, err := idsOf(userName)
	if err != nil {
		return err
	}
	return os.Chown(dir, int(uid), int(gid))
}

func idsOf(userName string) (uid, gid uint32, err error) {
	account, err := user.Lookup(userName)
	if err != nil {
		return 0, 0, err
	}
	u, uidErr := strconv.ParseUint(account.Uid, 10, 32)
	g, gidErr := strconv.ParseUint(account.Gid, 10, 32)
	if uidErr != nil || gidErr != nil {
		return 0, 0, fmt.Errorf("user %s has the ids %s and %s", userName, account.Uid, account.Gid)
	}
	return uint32(u), uint32(g), nil
}

func holdThread() (release func()) {
	goruntime.LockOSThread()
	return goruntime.UnlockOSThread
}

// childrenOf finds the processes that pid has started.
func childrenOf(pid int) []int {
	var children []int
	folders, _ := filepath.Glob("/proc/[0-9]*")
	for _, folder := range folders {
		child, err := strconv.Atoi(filepath.Base(folder))
		if err != nil {
			continue
		}
		if _, parent, running := status(folder); running && parent == pid {
			children = append(children, child)
		}
	}
	return children
}

// awaitEnd waits until the processes are gone, or at least dead, for up to ten seconds.
func awaitEnd(pids []int) { await(pids, "Z") }

// awaitStop waits until a SIGSTOP has reached every thread of the processes, for up to ten seconds: kill returns before
// it has, and a thread on another processor goes on for a moment.
func awaitStop(pids []int) { await(pids, "TZ") }

func await(pids []int, states string) {
	deadline := time.Now().Add(10 * time.Second)
	for _, pid := range pids {
		for !allIn(pid, states) && time.Now().Before(deadline) {
			time.Sleep(time.Millisecond)
		}
	}
}

// allIn tells whether every thread of a process is in one of the states, or gone.
func allIn(pid int, states string) bool {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
	for _, thread := range threads {
		if state, _, running := status(thread); running && !strings.Contains(states, state) {
			return false
		}
	}
	return true
}

// status reads the state of a process or thread, a letter such as R or Z, and the parent of its process.
func status(folder string) (state string, parent int, running bool) {
	text, err := os.ReadFile(filepath.Join(folder, "stat"))
	if err != nil {
		return "", 0, false
	}
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:]) // what is before is the name, which may hold anything
	if len(fields) < 2 {
		return "", 0, false
	}
	parent, err = strconv.Atoi(string(fields[1]))
	return string(fields[0]), parent, err == nil
}
