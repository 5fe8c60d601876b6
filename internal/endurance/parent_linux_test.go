package endurance_test

import "syscall"

// dieWithParent makes a child end with the thread that started it, so that a test that is killed leaves no worker
// behind, not even a stopped one.
func dieWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
