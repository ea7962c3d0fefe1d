package main

import (
	"os"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// processes are attempts on boxd, the sandbox's first process, and on the
// attempt's own rights.
func processes() []probe {
	const boxd, rights = "boxd and its threads", "rights"
	on := func(name, tries string, act func(other int) error, held ...string) probe {
		return probe{name, boxd, tries, held, func(t target) error {
			other, stop, err := t.process()
			if err != nil {
				return err
			}
			defer stop()
			return act(other)
		}}
	}
	own := func(name, tries string, act func() error, held ...string) probe {
		return probe{name, rights, tries, held, func(target) error { return act() }}
	}
	return []probe{
		on("kill", "kill it", func(other int) error { return unix.Kill(other, unix.SIGKILL) }, "EPERM"),
		on("tgkill", "kill a thread of it", func(other int) error { return unix.Tgkill(other, other, unix.SIGKILL) }, "EPERM"),
		on("stop", "stop it", func(other int) error { return unix.Kill(other, unix.SIGSTOP) }, "EPERM"),
		on("queue-signal", "queue it a signal", queueSignal, "EPERM"),
		on("pidfd", "open a descriptor of it", func(other int) error {
			_, err := unix.PidfdOpen(other, 0)
			return err
		}, "EPERM"),
		on("pidfd-signal", "signal it through a descriptor", pidfdSignal, "ENOSYS"),
		on("set-signal", "have the kernel send it a signal of one's choice", setSignal, "EPERM"),
		on("prlimit", "change its limits", prlimit, "EPERM"),
		on("affinity", "move it to one processor", func(other int) error {
			var set unix.CPUSet
			set.Set(0)
			return unix.SchedSetaffinity(other, &set)
		}, "EPERM"),
		on("priority", "lower its priority", func(other int) error { return unix.Setpriority(unix.PRIO_PROCESS, other, 19) }, "EPERM"),
		on("io-priority", "lower its priority on disks", func(other int) error {
			_, _, errno := syscall.Syscall(unix.SYS_IOPRIO_SET, 1, uintptr(other), 3<<13)
			return failed(errno)
		}, "EPERM", "ENOSYS"),
		on("scheduler", "change its scheduler", func(other int) error {
			var none int32
			_, _, errno := syscall.Syscall(unix.SYS_SCHED_SETSCHEDULER, uintptr(other), unix.SCHED_NORMAL, uintptr(unsafe.Pointer(&none)))
			return failed(errno)
		}, "EPERM", "ENOSYS"),
		on("mem", "open its memory", func(other int) error { return open(of(other, "mem"), os.O_RDWR) }, "EACCES"),
		on("environ", "read its environment", func(other int) error { return read(of(other, "environ")) }, "EACCES"),
		on("maps", "read its memory map", func(other int) error { return read(of(other, "maps")) }, "EACCES"),
		on("descriptors", "list its descriptors", func(other int) error { return list(of(other, "fd")) }, "EACCES"),
		on("root", "enter its root", func(other int) error { return list(of(other, "root")) }, "EACCES"),
		on("cwd", "enter its folder", func(other int) error { return list(of(other, "cwd")) }, "EACCES"),
		on("exe", "open its program for writing", func(other int) error { return open(of(other, "exe"), os.O_WRONLY) }, "EACCES"),
		on("oom-score", "have it ended first when memory runs out", func(other int) error {
			return os.WriteFile(of(other, "oom_score_adj"), []byte("1000"), 0)
		}, "EACCES", "EROFS"),
		own("setuid", "become root", func() error { return becomes(unix.SYS_SETUID) }, "EPERM", "EINVAL"),
		own("setgid", "take root's group", func() error { return becomes(unix.SYS_SETGID) }, "EPERM", "EINVAL"),
		own("setgroups", "take other groups", func() error { return becomes(unix.SYS_SETGROUPS) }, "EPERM"),
		own("capset", "take a capability", takeCapability, "EPERM"),
		own("capabilities", "have one", func() error { return status("CapEff", "CapPrm", "CapInh", "CapAmb") }, "none"),
		own("new-privileges", "gain some by a set-user-id program", func() error {
			set, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
			if err == nil && set == 1 {
				return seen("none")
			}
			return err
		}, "none"),
		own("securebits", "change how capabilities work", func() error {
			return unix.Prctl(unix.PR_SET_SECUREBITS, 0, 0, 0, 0)
		}, "EPERM"),
		{"own-oom-score", rights, "be ended after boxd", []string{"EACCES", "EROFS"}, func(t target) error {
			score := "-100"
			if t.outside { // a lower one wants a right that not every root has
				score = "1000"
			}
			return os.WriteFile("/proc/self/oom_score_adj", []byte(score), 0)
		}},
	}
}

func of(other int, name string) string { return "/proc/" + strconv.Itoa(other) + "/" + name }

func queueSignal(other int) error {
	var info [128]byte
	*(*int32)(unsafe.Pointer(&info[8])) = -1 // SI_QUEUE
	_, _, errno := syscall.Syscall(unix.SYS_RT_SIGQUEUEINFO, uintptr(other), uintptr(unix.SIGUSR1), uintptr(unsafe.Pointer(&info)))
	return failed(errno)
}

// pidfdSignal aims by a folder of /proc, which serves as a descriptor of the process too.
func pidfdSignal(other int) error {
	folder, err := unix.Open(of(other, ""), unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return err
	}
	return unix.PidfdSendSignal(folder, unix.SIGKILL, nil, 0)
}

func setSignal(int) error {
	ends := make([]int, 2)
	if err := unix.Pipe(ends); err != nil {
		return err
	}
	_, err := unix.FcntlInt(uintptr(ends[0]), unix.F_SETSIG, int(unix.SIGKILL))
	return err
}

func prlimit(other int) error {
	var limit unix.Rlimit
	return unix.Prlimit(other, unix.RLIMIT_NOFILE, nil, &limit)
}

// becomes makes the bare call: Go's own would have every thread make it.
func becomes(number uintptr) error {
	_, _, errno := syscall.RawSyscall(number, 0, 0, 0)
	return failed(errno)
}

func takeCapability() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return err
	}
	data[0].Effective |= 1 << unix.CAP_SYS_ADMIN
	data[0].Permitted |= 1 << unix.CAP_SYS_ADMIN
	return unix.Capset(&header, &data[0])
}
