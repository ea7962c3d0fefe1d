package run

import (
	"context"
	"os"
	"sync"
	"syscall"
	"time"

	"dev.sandboxer/boxd/internal/frames"
	"dev.sandboxer/boxd/internal/process"
	"dev.sandboxer/boxd/internal/terminal"
)

// hangUpGrace is how long a shell has to end by itself when its client is gone: killed before, it could not tell its jobs.
const hangUpGrace = 5 * time.Second

// Running is a started command with our ends of its pipes or terminal. Its life is Start, Pump, Wait; each once.
type Running struct {
	Process *process.Process
	Stdin   *os.File // nil when it has none, or a terminal

	output   [2]*os.File // stdout, stderr; nil with a terminal
	terminal *terminal.Terminal
	pumps    sync.WaitGroup
	release  func()
	kills    func() int64 // since the start
}

// Pump begins to move output. A terminal has one stream, stdout.
func (r *Running) Pump(stdout, stderr frames.Writer) {
	if r.terminal != nil {
		r.pumps.Go(func() { pumpTerminal(r.terminal.File, stdout, r.Process.Done()) })
		return
	}
	for i, to := range []frames.Writer{stdout, stderr} {
		r.pumps.Go(func() { pump(r.output[i], to, r.Process.Busy) })
	}
}

// Resize changes the terminal's size; false without one.
func (r *Running) Resize(size terminal.Size) bool {
	return r.terminal != nil && r.terminal.Resize(size) == nil
}

// Signal signals the command's group, or what its terminal has in the foreground.
func (r *Running) Signal(signal syscall.Signal) {
	if r.terminal != nil {
		if group := r.terminal.Foreground(); group != 0 && group != r.Process.Pid {
			r.Process.SignalForeground(group, signal)
			return
		}
	}
	r.Process.SignalGroup(signal)
}

// Wait returns once the command has ended and its output was moved. It kills the tree after timeout (0: none) and when the command itself was
// killed, and the group when ctx ends. Jobs that the command left behind go on; what they still print is thrown away.
func (r *Running) Wait(ctx context.Context, timeout time.Duration) frames.Exit {
	timedOut := r.waitLeader(ctx, timeout)
	if r.Stdin != nil {
		_ = r.Stdin.Close()
	}
	for _, file := range r.files() {
		_ = file.SetReadDeadline(time.Now().Add(lingering))
	}
	r.pumps.Wait()
	if r.terminal != nil {
		_ = r.terminal.Close()
	}
	r.release()
	exit := r.Process.Exit()
	return frames.Exit{Code: exit.Code, Signal: exit.Signal, Duration: exit.Duration, TimedOut: timedOut, OOMKills: r.kills()}
}

func (r *Running) files() []*os.File {
	if r.terminal != nil {
		return []*os.File{r.terminal.File}
	}
	return r.output[:]
}

func (r *Running) waitLeader(ctx context.Context, timeout time.Duration) (timedOut bool) {
	var expired <-chan time.Time
	if timeout > 0 {
		timer := time.NewTimer(timeout)
		defer timer.Stop()
		expired = timer.C
	}
	select {
	case <-r.Process.Done():
		if r.Process.Exit().Killed() {
			r.Process.KillTree()
		}
		return false
	case <-ctx.Done():
		r.abandon()
	case <-expired:
		timedOut = true
		r.Process.KillTree()
	}
	<-r.Process.Done()
	return timedOut
}

// abandon ends the group. A shell first gets the chance to pass the hang-up on to its jobs, which have groups of their own.
func (r *Running) abandon() {
	if r.terminal == nil {
		r.Process.SignalGroup(syscall.SIGKILL)
		return
	}
	r.Process.HangUp(r.terminal.Foreground(), hangUpGrace)
}
