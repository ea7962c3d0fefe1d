// Package process starts commands, reaps whatever dies in the sandbox, and ends whole trees.
package process

import (
	"errors"
	"math/rand/v2"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// ErrClosing is returned once the sandbox is ending.
var ErrClosing = errors.New("the sandbox is ending")

// Spec is a command, ready for the kernel.
type Spec struct {
	Path  string // what to execute; relative to Dir unless absolute
	Argv  []string
	Dir   string
	Env   []string
	Stdio [3]uintptr // blocking descriptors for 0, 1 and 2; the caller closes its own copies
	TTY   bool       // descriptor 0 is a terminal that the command shall have as its own
}

// Table is the only place of boxd that forks and waits. One waiter for all is what a first process needs: waiting for each command on
// its own (os/exec) beside a reaper of orphans would let either take the other's exit status. Starting holds the lock that reaping
// takes, so that a command is known before its death can be seen.
type Table struct {
	mu      sync.Mutex
	started *sync.Cond
	count   uint64
	live    map[int]*Process
	marker  marker
	forker  *forker
	killer  killer
	closing bool
}

// NewTable makes the calling process the reaper of all its descendants, from now until it ends.
// Nothing else in the process may start or wait for children. Commands wait for prepare, which runs on the thread that will start them all.
func NewTable(prepare func() error) *Table {
	const setChildSubreaper = 36
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, setChildSubreaper, 1, 0)
	// The first mark is random: another boxd that shares the process table gives marks as well.
	t := &Table{live: map[int]*Process{}, marker: newMarker(), forker: newForker(prepare), count: rand.Uint64N(markCount)}
	t.started = sync.NewCond(&t.mu)
	go t.reap()
	return t
}

// Start runs the command as leader of a new session and group. The error is the kernel's (syscall.Errno) or ErrClosing.
func (t *Table) Start(spec Spec) (*Process, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closing {
		return nil, ErrClosing
	}
	t.count++
	mark := markBase + t.count%markCount
	t.marker.wear(mark)
	defer t.marker.takeOff()
	begun := time.Now()
	pid, err := t.forker.fork(spec)
	if err != nil {
		return nil, err
	}
	p := &Process{Pid: pid, table: t, mark: mark, begun: begun, done: make(chan struct{})}
	t.live[pid] = p
	t.started.Broadcast()
	return p, nil
}

func (t *Table) reap() {
	for {
		t.mu.Lock()
		seen := t.count
		t.mu.Unlock()
		pid, err := waitAny()
		switch {
		case errors.Is(err, syscall.ECHILD):
			t.waitForStart(seen)
		case err == nil:
			t.collect(pid)
		default: // interrupted; if a filter forbids waiting, do not spin
			time.Sleep(time.Millisecond)
		}
	}
}

// waitForStart sleeps until a command was started after seen: without children there can be no descendants.
func (t *Table) waitForStart(seen uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.count == seen {
		t.started.Wait()
	}
}

func (t *Table) collect(pid int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var status syscall.WaitStatus
	got, err := syscall.Wait4(pid, &status, syscall.WNOHANG, nil)
	if err != nil || got != pid {
		return
	}
	if p, known := t.live[pid]; known {
		delete(t.live, pid)
		p.finish(status)
	}
}

// waitAny blocks until some child is dead and returns it without reaping it.
func waitAny() (int, error) {
	const (
		all     = 0
		exited  = 0x4
		noReap  = 0x1000000
		pidSlot = 4
	)
	var info [32]int32 // siginfo_t: 128 bytes, the pid at byte 16
	_, _, errno := syscall.Syscall6(syscall.SYS_WAITID, all, 0, uintptr(unsafe.Pointer(&info)), exited|noReap, 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(info[pidSlot]), nil
}

// Running is how many commands run whose leader was not reaped yet.
func (t *Table) Running() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.live)
}

// Close refuses new commands, asks every process of the sandbox to end (SIGTERM), and kills what is left after grace.
func (t *Table) Close(grace time.Duration) {
	t.mu.Lock()
	t.closing = true
	t.mu.Unlock()
	if grace > 0 {
		t.askToEnd(grace)
	}
	t.killer.killAll(descendants)
}

func (t *Table) askToEnd(grace time.Duration) {
	for _, e := range descendants() {
		send(e, syscall.SIGTERM)
	}
	for end := time.Now().Add(grace); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if len(descendants()) == 0 {
			return
		}
	}
}
