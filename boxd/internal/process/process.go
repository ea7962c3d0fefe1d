package process

import (
	"slices"
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

// Killed says whether SIGKILL ended the command, or the last one of a shell: the kernel does so when memory runs out, and takes one process
// of many. What it leaves of a command that nobody waits for any more would fill the sandbox for good.
func (e Exit) Killed() bool {
	return e.Signal != nil && *e.Signal == "SIGKILL" || e.Code != nil && *e.Code == 128+int(syscall.SIGKILL)
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

// Busy says whether anything that the command started runs, or waits for a processor or a disk, instead of sleeping.
func (p *Process) Busy() bool {
	return slices.ContainsFunc(treeOf(p.Pid, p.mark), func(e entry) bool { return e.state == 'R' || e.state == 'D' })
}

// HangUp tells the leader's group, and the group that its terminal has in the foreground (0: none), that nobody is there any more;
// what does not end within grace is killed.
func (p *Process) HangUp(foreground int, grace time.Duration) {
	p.signalSession(foreground, syscall.SIGHUP, syscall.SIGCONT)
	select {
	case <-p.done:
	case <-time.After(grace):
	}
	p.signalSession(foreground, syscall.SIGKILL)
}

// SignalForeground signals the group that the command's terminal has in the foreground, if it is of the command's session.
func (p *Process) SignalForeground(group int, signal syscall.Signal) {
	p.table.mu.Lock()
	defer p.table.mu.Unlock()
	if e, ok := readEntry(group); ok && group > 0 && e.session == p.Pid {
		_ = syscall.Kill(-group, signal)
	}
}

func (p *Process) signalSession(foreground int, signals ...syscall.Signal) {
	for _, signal := range signals {
		if foreground != p.Pid {
			p.SignalForeground(foreground, signal)
		}
		p.SignalGroup(signal)
	}
}

// EndTree asks all that the command started to end (SIGTERM), and kills what is left after grace.
func (p *Process) EndTree(grace time.Duration) {
	tree := func() []entry { return treeOf(p.Pid, p.mark) }
	for _, e := range tree() {
		send(e, syscall.SIGTERM)
		send(e, syscall.SIGCONT)
	}
	for end := time.Now().Add(grace); time.Now().Before(end) && len(tree()) > 0; {
		time.Sleep(5 * time.Millisecond)
	}
	p.KillTree() // also when none was seen: one that was started by one that ended just then is in no listing
}

// KillTree ends all that the command started, also what left its group and session, and nothing else.
func (p *Process) KillTree() {
	p.SignalGroup(syscall.SIGSTOP)
	p.table.killer.killAll(func() []entry { return treeOf(p.Pid, p.mark) })
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
