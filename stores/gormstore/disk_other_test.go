//go:build !linux

package gormstore_test

import "testing"

func smallDisk(t *testing.T) string {
	t.Skip("NOT TESTED: a small disk is mounted on Linux only")
	return ""
}

func fill(*testing.T, string) {}

func makeFolderFor(*testing.T, string, string) {}
