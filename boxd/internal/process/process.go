package process

import (
	"strings"
	"syscall"
	"time"
)

// Process is a started command: the leader of a session and group of its own.
type Process struct {
	Pid   int
	table *Table
	mark  uint64
	begun time.Time
	done  chan struct{}
	exit  Exit
}

// Exit is how the leader ended: by itself with Code, or by Signal ("SIGKILL"), then Code is nil.
type Exit struct {
	Code     *int
	Signal   *string
	Duration time.Duration
}

// Done is closed once the leader is reaped.
func (p *Process) Done() <-chan struct{} { return p.done }

// Exit is valid after Done.
func (p *Process) Exit() Exit { return p.exit }

func (p *Process) finish(status syscall.WaitStatus) {
	p.exit.Duration = time.Since(p.begun)
	if status.Signaled() {
		name := signalName(status.Signal())
		p.exit.Signal = &name
	} else {
		code := status.ExitStatus()
		p.exit.Code = &code
	}
	close(p.done)
}

// SignalGroup signals the leader's group; it does nothing once the leader is reaped, whose number may by then be another's.
func (p *Process) SignalGroup(signal syscall.Signal) {
	p.table.mu.Lock()
	defer p.table.mu.Unlock()
	select {
	case <-p.done:
	default:
		_ = syscall.Kill(-p.Pid, signal)
	}
}

// KillTree ends all that the command started, also what left its group and session, and nothing else.
func (p *Process) KillTree() {
	p.SignalGroup(syscall.SIGSTOP)
	killAll(func() []entry { return treeOf(p.Pid, p.mark) })
	p.SignalGroup(syscall.SIGKILL)
}

var signals = map[string]syscall.Signal{
	"HUP": syscall.SIGHUP, "INT": syscall.SIGINT, "QUIT": syscall.SIGQUIT, "ILL": syscall.SIGILL, "TRAP": syscall.SIGTRAP,
	"ABRT": syscall.SIGABRT, "BUS": syscall.SIGBUS, "FPE": syscall.SIGFPE, "KILL": syscall.SIGKILL, "USR1": syscall.SIGUSR1,
	"SEGV": syscall.SIGSEGV, "USR2": syscall.SIGUSR2, "PIPE": syscall.SIGPIPE, "ALRM": syscall.SIGALRM, "TERM": syscall.SIGTERM,
	"CONT": syscall.SIGCONT, "STOP": syscall.SIGSTOP, "TSTP": syscall.SIGTSTP, "TTIN": syscall.SIGTTIN, "TTOU": syscall.SIGTTOU,
	"XCPU": syscall.SIGXCPU, "XFSZ": syscall.SIGXFSZ, "VTALRM": syscall.SIGVTALRM, "PROF": syscall.SIGPROF,
	"WINCH": syscall.SIGWINCH, "IO": syscall.SIGIO, "PWR": syscall.SIGPWR, "SYS": syscall.SIGSYS,
}

// SignalByName knows "TERM" and "SIGTERM".
func SignalByName(name string) (syscall.Signal, bool) {
	signal, ok := signals[strings.TrimPrefix(strings.ToUpper(name), "SIG")]
	return signal, ok
}

func signalName(signal syscall.Signal) string {
	for name, number := range signals {
		if number == signal {
			return "SIG" + name
		}
	}
	return "SIG" + strings.ToUpper(strings.ReplaceAll(signal.String(), " ", "-"))
}
