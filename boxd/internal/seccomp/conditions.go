package seccomp

import (
	"golang.org/x/sys/unix"
)

// newNamespaces are all clone flags that make a namespace.
const newNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

const shmHugeTLB = 0o4000 // SHM_HUGETLB of linux/shm.h

// conditions are the calls whose arguments decide. The arguments looked at are
// 32 bits wide in the kernel too, so their low halves say everything.
func conditions() map[int][]unix.SockFilter {
	self := onlyZero(0)
	return map[int][]unix.SockFilter{
		unix.SYS_CLONE:              withoutFlags(0, newNamespaces),
		unix.SYS_MMAP:               withoutFlags(3, unix.MAP_HUGETLB), // huge pages are few,
		unix.SYS_MEMFD_CREATE:       withoutFlags(1, unix.MFD_HUGETLB), // the whole host's,
		unix.SYS_SHMGET:             withoutFlags(2, shmHugeTLB),       // and not counted as memory
		unix.SYS_SOCKET:             oneOf(0, unix.EAFNOSUPPORT, unix.AF_UNIX, unix.AF_INET, unix.AF_INET6),
		unix.SYS_SOCKETPAIR:         oneOf(0, unix.EAFNOSUPPORT, unix.AF_UNIX),
		unix.SYS_PERSONALITY:        oneOf(0, unix.EPERM, 0, 0x0008, 0x20000, 0x20008, 0xffffffff),
		unix.SYS_IOCTL:              noneOf(1, unix.TIOCSTI, unix.TIOCLINUX),
		unix.SYS_PRLIMIT64:          self, // 0 is the caller: nobody else's limits,
		unix.SYS_SCHED_SETAFFINITY:  self, // affinity
		unix.SYS_SCHED_SETATTR:      self, // and priority,
		unix.SYS_SCHED_SETPARAM:     self, // least of all boxd's
		unix.SYS_SCHED_SETSCHEDULER: self,
		unix.SYS_SETPRIORITY:        pair(unix.PRIO_PROCESS, 0),
		unix.SYS_IOPRIO_SET:         pair(1, 0), // IOPRIO_WHO_PROCESS
	}
}

func argument(index uint32) uint32 { return offsetArguments + 8*index }

func onlyZero(index uint32) []unix.SockFilter { return oneOf(index, unix.EPERM, 0) }

func oneOf(index uint32, otherwise unix.Errno, values ...uint32) []unix.SockFilter {
	var p assembly
	p.load(argument(index))
	for _, value := range values {
		p.when(unix.BPF_JEQ, value, allow)
	}
	p.answer(errno(otherwise))
	return p
}

func noneOf(index uint32, values ...uint32) []unix.SockFilter {
	var p assembly
	p.load(argument(index))
	for _, value := range values {
		p.when(unix.BPF_JEQ, value, errno(unix.EPERM))
	}
	p.answer(allow)
	return p
}

func withoutFlags(index, flags uint32) []unix.SockFilter {
	var p assembly
	p.load(argument(index))
	p.when(unix.BPF_JSET, flags, errno(unix.EPERM))
	p.answer(allow)
	return p
}

// pair wants the first two arguments to be exactly these.
func pair(first, second uint32) []unix.SockFilter {
	var p assembly
	p.load(argument(0))
	p.unless(unix.BPF_JEQ, first, errno(unix.EPERM))
	p.load(argument(1))
	p.unless(unix.BPF_JEQ, second, errno(unix.EPERM))
	p.answer(allow)
	return p
}
