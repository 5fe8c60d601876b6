//go:build unix && !linux

package endurance_test

import "syscall"

func dieWithParent() *syscall.SysProcAttr { return nil }
