package server

import (
	"os"
	"strconv"
	"syscall"
)

// harden makes boxd itself hard to look into, and its descriptors private: its children run hostile code as the same user.
func harden() error {
	closeOnExec()
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_SET_DUMPABLE, 0, 0); errno != 0 {
		return os.NewSyscallError("prctl(PR_SET_DUMPABLE)", errno)
	}
	syscall.Umask(0o022)
	os.Clearenv()
	return nil
}

func closeOnExec() {
	const (
		sysCloseRange = 436
		cloexec       = 4
		firstOwn      = 3
	)
	if _, _, errno := syscall.RawSyscall(sysCloseRange, firstOwn, ^uintptr(0)>>32, cloexec); errno == 0 {
		return
	}
	names, _ := os.ReadDir("/proc/self/fd")
	for _, name := range names {
		if fd, err := strconv.Atoi(name.Name()); err == nil && fd >= firstOwn {
			syscall.CloseOnExec(fd)
		}
	}
}
