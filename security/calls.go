package main

import (
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	notPermitted = "EPERM"
	noSuchCall   = "ENOSYS"
	inRoot       = "system calls that reach beyond the sandbox"
	absent       = "system calls that do not exist inside"
)

// calls are attempts with a system call. Where a successful one would change the
// machine, its arguments are such that the kernel refuses them with another
// errno, once it has let the call in.
func calls() []probe {
	bad := ^uintptr(0)
	return []probe{
		call("mount", "mount a file system", mount),
		call("umount", "unmount /proc", unmount),
		raw("pivot-root", "change the root of its mounts", unix.SYS_PIVOT_ROOT, text("/"), text("/")),
		call("chroot", "change its root", func(target) error { return unix.Chroot("/tmp") }),
		raw("fsopen", "mount by the newer calls: fsopen", unix.SYS_FSOPEN, text("tmpfs"), 0),
		raw("fsmount", "fsmount", unix.SYS_FSMOUNT, bad, 0, 0),
		raw("fsconfig", "fsconfig", unix.SYS_FSCONFIG, bad, 0, 0, 0, 0),
		raw("fspick", "fspick", unix.SYS_FSPICK, bad, text("x"), 0),
		raw("open-tree", "open_tree", unix.SYS_OPEN_TREE, bad, text("x"), 0),
		raw("move-mount", "move_mount", unix.SYS_MOVE_MOUNT, bad, text("x"), bad, text("x"), 0),
		raw("mount-setattr", "mount_setattr", unix.SYS_MOUNT_SETATTR, bad, text("x"), 0, 0, 0),
		call("user-namespace", "start a process in a user namespace", namespace(unix.CLONE_NEWUSER)),
		call("mount-namespace", "in a mount namespace", namespace(unix.CLONE_NEWNS)),
		call("net-namespace", "in a network namespace", namespace(unix.CLONE_NEWNET)),
		call("pid-namespace", "in a pid namespace", namespace(unix.CLONE_NEWPID)),
		raw("unshare", "leave its namespaces", unix.SYS_UNSHARE, unix.CLONE_NEWUTS),
		call("setns", "enter a namespace", setns),
		call("file-handle", "open a file by its handle, past every mount", byHandle),
		raw("ptrace", "attach to another process", unix.SYS_PTRACE, unix.PTRACE_ATTACH, pid, 0, 0),
		call("read-memory", "read another process's memory", readMemory),
		call("write-memory", "write it", writeMemory),
		call("getfd", "take a descriptor of another process", getfd),
		raw("madvise-other", "advise on another process's memory", unix.SYS_PROCESS_MADVISE, bad, 0, 0, 0, 0),
		raw("mrelease", "release another process's memory", unix.SYS_PROCESS_MRELEASE, bad, 0),
		raw("kcmp", "compare kernel objects of two processes", unix.SYS_KCMP, pid, pid, 0, 0, 0),
		raw("move-pages", "move another process's pages", unix.SYS_MOVE_PAGES, pid, 0, 0, 0, 0, 0),
		raw("migrate-pages", "migrate another process's pages", unix.SYS_MIGRATE_PAGES, pid, 0, 0, 0),
		raw("mbind", "bind memory to nodes", unix.SYS_MBIND, 0, 0, 0, 0, 0, 0),
		raw("mempolicy", "set a memory policy", unix.SYS_SET_MEMPOLICY, 0, 0, 0),
		raw("bpf", "load a program into the kernel", unix.SYS_BPF, 0, 0, 0),
		raw("perf", "measure the machine", unix.SYS_PERF_EVENT_OPEN, 0, 0, 0, 0, 0),
		raw("userfaultfd", "handle page faults", unix.SYS_USERFAULTFD, 0),
		raw("io-uring", "set up an io_uring", unix.SYS_IO_URING_SETUP, 1, 0),
		raw("io-uring-enter", "use an io_uring", unix.SYS_IO_URING_ENTER, bad, 0, 0, 0, 0, 0),
		raw("keyctl", "read a keyring", unix.SYS_KEYCTL, 0, ^uintptr(2), 0, 0, 0),
		raw("add-key", "add a key", unix.SYS_ADD_KEY, text("user"), text("probe"), text("x"), 1, ^uintptr(1)),
		raw("request-key", "request a key", unix.SYS_REQUEST_KEY, text("user"), text("probe"), 0, 0),
		raw("init-module", "load a kernel module", unix.SYS_INIT_MODULE, 0, 0, text("")),
		raw("finit-module", "load one from a file", unix.SYS_FINIT_MODULE, bad, text(""), 0),
		raw("delete-module", "remove a kernel module", unix.SYS_DELETE_MODULE, text("no such module"), 0),
		raw("kexec", "start another kernel", unix.SYS_KEXEC_LOAD, 0, 1000, 0, 0),
		raw("kexec-file", "start one from a file", unix.SYS_KEXEC_FILE_LOAD, bad, bad, 0, text(""), bad),
		raw("reboot", "reboot", unix.SYS_REBOOT, 1, 1, 0, 0),
		raw("swapon", "swap to a file", unix.SYS_SWAPON, text("/no/such/file"), 0),
		raw("swapoff", "end swapping", unix.SYS_SWAPOFF, text("/no/such/file")),
		raw("acct", "write accounts of processes", unix.SYS_ACCT, text("/no/such/file")),
		raw("quotactl", "change quotas", unix.SYS_QUOTACTL, bad, text("/no/such/device"), 0, 0),
		raw("settimeofday", "set the clock", unix.SYS_SETTIMEOFDAY, 0, 0),
		raw("clock-settime", "set a clock", unix.SYS_CLOCK_SETTIME, bad, 0),
		call("adjtimex", "read and adjust the clock's rate", func(target) error {
			_, err := unix.Adjtimex(&unix.Timex{})
			return err
		}),
		raw("sethostname", "rename the host", unix.SYS_SETHOSTNAME, text(""), bad),
		raw("setdomainname", "rename its domain", unix.SYS_SETDOMAINNAME, text(""), bad),
		raw("syslog", "read the kernel's log", unix.SYS_SYSLOG, 10, 0, 0),
		raw("fanotify", "watch every file", unix.SYS_FANOTIFY_INIT, 0, 0),
		raw("personality", "turn address randomization off", unix.SYS_PERSONALITY, 0x0040000),
		raw("huge-pages", "map huge pages, which are the host's", unix.SYS_MMAP, 0, 4<<20, unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_HUGETLB, bad, 0),
		raw("huge-memfd", "huge pages as a file", unix.SYS_MEMFD_CREATE, text("probe"), unix.MFD_HUGETLB),
		raw("huge-shared", "huge pages as shared memory", unix.SYS_SHMGET, 0, 4<<20, 0o5600),
		without("clone3", "start a process by clone3, whose flags no filter sees", unix.SYS_CLONE3, 0, 0),
		without("io-setup", "asynchronous I/O, whose one limit the host shares", unix.SYS_IO_SETUP, 1, 0),
		without("statmount", "list mounts by statmount", 457, 0, 0, 0, 0),
		without("listmount", "list mounts by listmount", 458, 0, 0, 0, 0),
		without("memfd-secret", "memory that the kernel cannot read", unix.SYS_MEMFD_SECRET, 0),
	}
}

func call(name, tries string, try func(target) error) probe {
	return probe{name, inRoot, tries, []string{notPermitted}, try}
}

// pid stands for the process that an attempt aims at.
const pid = uintptr(0xfee1)

func raw(name, tries string, number uintptr, arguments ...uintptr) probe {
	return probe{name, inRoot, tries, []string{notPermitted}, rawCall(number, arguments)}
}

func without(name, tries string, number uintptr, arguments ...uintptr) probe {
	return probe{name, absent, tries, []string{noSuchCall}, rawCall(number, arguments)}
}

func rawCall(number uintptr, arguments []uintptr) func(target) error {
	return func(t target) error {
		var values [6]uintptr
		copy(values[:], arguments)
		for i, value := range values {
			if value == pid {
				other, stop, err := t.process()
				if err != nil {
					return err
				}
				defer stop()
				values[i] = uintptr(other)
			}
		}
		_, _, errno := syscall.Syscall6(number, values[0], values[1], values[2], values[3], values[4], values[5])
		return failed(errno)
	}
}

// text is the address of a string for the kernel, kept for as long as the program runs.
func text(value string) uintptr {
	bytes := append([]byte(value), 0)
	kept = append(kept, bytes)
	return uintptr(unsafe.Pointer(&bytes[0]))
}

var kept [][]byte

// process is boxd inside, and outside one that was started for the attempt.
func (t target) process() (int, func(), error) {
	if !t.outside {
		return 1, func() {}, nil
	}
	command := exec.Command("/proc/self/exe", "hold")
	hold, err := command.StdinPipe()
	if err != nil {
		return 0, nil, err
	}
	if err := command.Start(); err != nil {
		return 0, nil, err
	}
	return command.Process.Pid, func() {
		_ = hold.Close()
		_ = command.Process.Kill()
		_ = command.Wait()
	}, nil
}

func mount(target) error { return unix.Mount("tmpfs", "/tmp", "tmpfs", 0, "") }

func unmount(target) error { return unix.Unmount("/proc", unix.MNT_DETACH) }

func namespace(flag uintptr) func(target) error {
	return func(target) error {
		command := exec.Command("/proc/self/exe", "table")
		command.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flag}
		return command.Run()
	}
}

func setns(target) error {
	file, err := os.Open("/proc/self/ns/net")
	if err != nil {
		return err
	}
	defer file.Close()
	return unix.Setns(int(file.Fd()), 0)
}

// byHandle first asks for a handle; where that is refused, it makes one up.
func byHandle(target) error {
	handle, _, err := unix.NameToHandleAt(unix.AT_FDCWD, "/tmp", 0)
	if err != nil {
		handle = unix.NewFileHandle(1, make([]byte, 8))
	}
	folder, err := unix.Open("/tmp", unix.O_RDONLY, 0)
	if err != nil {
		return err
	}
	_, err = unix.OpenByHandleAt(folder, handle, unix.O_RDONLY)
	return err
}

func readMemory(t target) error {
	return memory(t, unix.ProcessVMReadv)
}

func writeMemory(t target) error {
	return memory(t, unix.ProcessVMWritev)
}

func memory(t target, move func(int, []unix.Iovec, []unix.RemoteIovec, uint) (int, error)) error {
	other, stop, err := t.process()
	if err != nil {
		return err
	}
	defer stop()
	buffer := make([]byte, 8)
	local := []unix.Iovec{{Base: &buffer[0], Len: 8}}
	_, err = move(other, local, []unix.RemoteIovec{{Base: uintptr(unsafe.Pointer(&kept)), Len: 8}}, 0)
	return err
}

func getfd(t target) error {
	other, stop, err := t.process()
	if err != nil {
		return err
	}
	defer stop()
	handle, err := unix.PidfdOpen(other, 0)
	if err != nil {
		return err
	}
	_, err = unix.PidfdGetfd(handle, 0, 0)
	return err
}
