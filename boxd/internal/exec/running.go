package exec

import (
	"context"
	"os"
	"sync"
	"syscall"
	"time"

	"dev.sandboxer/boxd/internal/frames"
	"dev.sandboxer/boxd/internal/process"
)

// running is a started command with our ends of its pipes. Its life is start, pump, wait; each once.
type running struct {
	process *process.Process
	stdin   *os.File    // nil when it has none
	output  [2]*os.File // stdout, stderr
	pumps   sync.WaitGroup
	release func()
}

// sink takes a stream's bytes, in order, until it fails; then the rest is thrown away. It may block, which slows the command.
type sink interface {
	write(data []byte) error
	end() error
}

// pump begins to move output into the sinks.
func (r *running) pump(stdout, stderr sink) {
	for i, to := range []sink{stdout, stderr} {
		r.pumps.Add(1)
		go func() {
			defer r.pumps.Done()
			pump(r.output[i], to)
		}()
	}
}

// wait returns once the command has ended and its output was moved. It kills the tree after timeout (0: none), and the group when
// ctx ends. Jobs that the command left behind go on; what they still print is thrown away.
func (r *running) wait(ctx context.Context, timeout time.Duration) frames.Exit {
	timedOut := r.waitLeader(ctx, timeout)
	if r.stdin != nil {
		_ = r.stdin.Close()
	}
	for _, file := range r.output {
		_ = file.SetReadDeadline(time.Now().Add(lingering))
	}
	r.pumps.Wait()
	r.release()
	exit := r.process.Exit()
	return frames.Exit{Code: exit.Code, Signal: exit.Signal, Duration: exit.Duration, TimedOut: timedOut}
}

func (r *running) waitLeader(ctx context.Context, timeout time.Duration) (timedOut bool) {
	var expired <-chan time.Time
	if timeout > 0 {
		timer := time.NewTimer(timeout)
		defer timer.Stop()
		expired = timer.C
	}
	select {
	case <-r.process.Done():
		return false
	case <-ctx.Done():
		r.process.SignalGroup(syscall.SIGKILL)
	case <-expired:
		timedOut = true
		r.process.KillTree()
	}
	<-r.process.Done()
	return timedOut
}
