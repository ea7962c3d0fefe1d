package seccomp

import "golang.org/x/sys/unix"

// shield lets every call through but signals to the numbers from 1 to highest, in all ways that the kernel has.
func shield(highest uint32) []unix.SockFilter {
	var p assembly
	p.load(offsetNumber)
	for _, call := range []struct{ number, target, signal uint32 }{
		{unix.SYS_KILL, 0, 1},
		{unix.SYS_TKILL, 0, 1},
		{unix.SYS_TGKILL, 0, 2},
		{unix.SYS_RT_SIGQUEUEINFO, 0, 1},
		{unix.SYS_RT_TGSIGQUEUEINFO, 0, 2},
	} {
		p.block(call.number, notTo(highest, call.target, call.signal))
	}
	p.block(unix.SYS_PIDFD_OPEN, beyond(highest, 0))
	p.block(unix.SYS_PIDFD_SEND_SIGNAL, always(errno(unix.ENOSYS))) // a folder of /proc serves as a descriptor too; libraries use kill then
	p.block(unix.SYS_FCNTL, noneOf(1, unix.F_SETSIG))               // with F_SETOWN, any signal to anyone
	p.answer(allow)
	return p
}

// notTo allows the signal 0, which only asks whether there is such a process.
func notTo(highest, target, signal uint32) []unix.SockFilter {
	var p assembly
	p.load(argument(signal))
	p.when(unix.BPF_JEQ, 0, allow)
	return append(p, beyond(highest, target)...)
}

// beyond allows 0 and what is over highest, which negative numbers are.
func beyond(highest, index uint32) []unix.SockFilter {
	var p assembly
	p.load(argument(index))
	p.when(unix.BPF_JEQ, 0, allow)
	p.when(unix.BPF_JGT, highest, allow)
	p.answer(errno(unix.EPERM))
	return p
}

func always(action uint32) []unix.SockFilter {
	var p assembly
	p.answer(action)
	return p
}
