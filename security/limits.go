package main

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// limits are attempts to raise one or to take what the host shares.
func limits() []probe {
	const rule = "limits"
	raise := func(name, tries string, resource int) probe {
		return probe{name, rule, tries, []string{"EPERM"}, func(t target) error { return raiseLimit(t, resource) }}
	}
	return []probe{
		raise("raise-core", "write core dumps", unix.RLIMIT_CORE),
		raise("raise-files", "open more files", unix.RLIMIT_NOFILE),
		raise("raise-queues", "have more message queues", unix.RLIMIT_MSGQUEUE),
		raise("raise-locked", "lock more memory", unix.RLIMIT_MEMLOCK),
		{"queues", rule, "take the host's message queues", []string{"EMFILE", "ENOSPC", "ENOMEM"}, takeQueues},
		{"locked", rule, "lock 256 MiB of memory", []string{"ENOMEM", "EPERM", "EAGAIN"}, lockMemory},
		{"workspace-size", rule, "write 4 GiB to `/workspace`", []string{"ENOSPC"}, func(t target) error { return fill(t, workspace) }},
		{"tmp-size", rule, "write 4 GiB to `/tmp`", []string{"ENOSPC"}, func(t target) error { return fill(t, "/tmp") }},
		{"shm-size", rule, "write 4 GiB to `/dev/shm`", []string{"ENOSPC", "ENOENT", "EROFS"}, func(t target) error { return fill(t, "/dev/shm") }},
		{"real-time", rule, "be scheduled before everything else", []string{"EPERM", "ENOSYS"}, func(target) error {
			priority := int32(1)
			_, _, errno := syscall.Syscall(unix.SYS_SCHED_SETSCHEDULER, 0, 1, uintptr(unsafe.Pointer(&priority)))
			return failed(errno)
		}},
		{"nice", rule, "raise its own priority", []string{"EPERM", "EACCES", "ENOSYS"}, func(target) error {
			return unix.Setpriority(unix.PRIO_PROCESS, 0, -5)
		}},
	}
}

// raiseLimit asks for one more than what is allowed. A control asks for what it
// has: more wants a right that not every root has.
func raiseLimit(t target, resource int) error {
	var limit unix.Rlimit
	if err := unix.Getrlimit(resource, &limit); err != nil {
		return err
	}
	if !t.outside {
		limit.Max++
	}
	return unix.Prlimit(0, resource, &limit, nil)
}

func takeQueues(t target) error {
	for number := range 300 {
		name, err := unix.BytePtrFromString(fmt.Sprintf("probe-%d-%d", os.Getpid(), number))
		if err != nil {
			return err
		}
		_, _, errno := syscall.Syscall6(unix.SYS_MQ_OPEN, uintptr(unsafe.Pointer(name)), unix.O_CREAT|unix.O_RDWR, 0o600, 0, 0, 0)
		if errno != 0 {
			return errno
		}
		_, _, _ = syscall.Syscall(unix.SYS_MQ_UNLINK, uintptr(unsafe.Pointer(name)), 0, 0) // the descriptor keeps it
		if t.outside && number == 2 {
			return nil
		}
	}
	return nil
}

func lockMemory(target) error {
	block, err := unix.Mmap(-1, 0, 256<<20, unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return err
	}
	return unix.Mlock(block)
}

// fill has the disk reserve what it would write; a control is content with a page.
func fill(t target, folder string) error {
	size := int64(4 << 30)
	if t.outside {
		folder, size = os.TempDir(), 4096
	}
	file, err := os.Create(filepath.Join(folder, "probe-large"))
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	return unix.Fallocate(int(file.Fd()), 0, 0, size)
}
