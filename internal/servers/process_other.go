//go:build !linux

package servers

import "syscall"

func attributes(string) (*syscall.SysProcAttr, error) { return nil, nil }

func holdThread() (release func()) { return func() {} }

func childrenOf(int) []int { return nil }

func awaitEnd([]int) {}

func awaitStop([]int) {}

func giveTo(string, string) error { return nil }
