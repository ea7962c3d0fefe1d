// Package seccomp closes the system calls that programs in a sandbox do not
// need. The filter is an allow-list, installed by boxd on all its threads
// before the first command; it cannot be taken off again.
package seccomp

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Install puts the filter on every thread of this process, and so on all
// programs that it starts. It also gives up gaining privileges by exec.
func Install() error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	return install(program(), unix.SECCOMP_FILTER_FLAG_TSYNC)
}

// Shield puts a second filter on the calling thread alone, and so on the programs that it starts: they cannot send signals to the processes
// and threads from 1 to highest, which are boxd's where it is the first process. The kernel lets a first process ignore only what it
// has no handler for, and a Go program handles nearly all signals, some by ending. No later program gets these numbers:
// the kernel gives none below 300 a second time.
func Shield(highest int) error { return install(shield(uint32(highest)), 0) }

func install(filter []unix.SockFilter, flags uintptr) error {
	head := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	thread, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&head)))
	runtime.KeepAlive(filter)
	if errno != 0 {
		return fmt.Errorf("the kernel refuses the seccomp filter: %w", errno)
	}
	if thread != 0 {
		return fmt.Errorf("thread %d could not take the seccomp filter", thread)
	}
	return nil
}
