package main

import (
	"syscall"
	"testing"
	"unsafe"
)

// setLimit sets a resource limit of another process.
func setLimit(t *testing.T, pid, resource int, limit syscall.Rlimit) {
	t.Helper()
	_, _, errno := syscall.Syscall6(syscall.SYS_PRLIMIT64, uintptr(pid), uintptr(resource), uintptr(unsafe.Pointer(&limit)), 0, 0, 0)
	if errno != 0 {
		t.Fatal(errno)
	}
}
