package managed

import (
	"context"
	"errors"
	"sync"
	"time"

	"dev.sandboxer/boxd/internal/frames"
	"dev.sandboxer/boxd/internal/problem"
	"dev.sandboxer/boxd/internal/process"
	"dev.sandboxer/boxd/internal/run"
	"dev.sandboxer/boxd/internal/terminal"
)

const (
	grace         = 5 * time.Second
	firstBackoff  = 200 * time.Millisecond
	longestPause  = 30 * time.Second
	steadyRunning = 10 * time.Second // after so long a run, the next pause is the first again
	leaving       = 3 * time.Second  // so long may a connection that was cut still have the writer's place
)

// Process is one that outlives its clients: they come and go, and it may be started again.
type Process struct {
	spec  Spec
	start func(run.Command) (*run.Running, error)
	rings [2]*ring
	stop  chan struct{} // closed when somebody wants its end
	done  chan struct{} // closed at its end

	mu       sync.Mutex
	running  *run.Running // nil between two runs and at the end
	last     *run.Running
	input    *run.Input
	writer   any           // who may write; nil for nobody
	vacant   chan struct{} // closed when the writer goes; nil before the first
	clients  map[*Attachment]struct{}
	exit     *frames.Exit // how the last run ended; nil before
	failure  error        // why it could not be started again
	restarts int
	stopping bool
	started  time.Time
	ended    time.Time
}

// ringWriter is a command's output on its way into a ring.
type ringWriter struct {
	ring *ring
	over <-chan struct{}
}

func (w ringWriter) Write(data []byte) error {
	w.ring.write(data, w.over)
	return nil
}

func (w ringWriter) Skip(int64) error { return nil }

func (w ringWriter) End() error { return nil }

// live goes from run to run until there shall be no other.
func (p *Process) live(current *run.Running) {
	pause := firstBackoff
	for current != nil {
		current.Pump(ringWriter{p.rings[0], p.stop}, ringWriter{p.rings[1], p.stop})
		exit := current.Wait(context.Background(), p.spec.Timeout)
		if exit.Duration >= steadyRunning {
			pause = firstBackoff
		}
		if exit.Restarting = p.again(exit); !exit.Restarting {
			p.finish(exit)
			return
		}
		p.runEnded(exit)
		current = p.restart(&pause)
	}
	p.finish(*p.lastExit())
}

func (p *Process) again(exit frames.Exit) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	failed := exit.Code == nil || *exit.Code != 0
	return !p.stopping && !exit.TimedOut && (p.spec.Restart == Always || p.spec.Restart == OnFailure && failed)
}

// restart tries until the command runs again; nil when somebody wants the process's end, or the sandbox ends.
func (p *Process) restart(pause *time.Duration) *run.Running {
	for {
		select {
		case <-p.stop:
			return nil
		case <-time.After(*pause):
		}
		*pause = min(*pause*2, longestPause)
		current, err := p.start(p.spec.Command)
		switch {
		case err == nil && p.runBegan(current):
			return current
		case err == nil: // stopped meanwhile
			current.Process.KillTree()
			current.Pump(ringWriter{p.rings[0], p.stop}, ringWriter{p.rings[1], p.stop})
			current.Wait(context.Background(), 0)
			return nil
		case errors.Is(err, process.ErrClosing):
			return nil
		}
		p.mu.Lock()
		p.failure = err
		p.mu.Unlock()
	}
}

// runBegan is false if the process was stopped in the meantime.
func (p *Process) runBegan(current *run.Running) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopping {
		return false
	}
	p.begin(current)
	p.restarts++
	p.tell(event{frame: p.ready().Encode()})
	return true
}

func (p *Process) begin(current *run.Running) {
	p.running, p.last, p.input = current, current, current.Input()
	p.failure, p.started = nil, time.Now()
}

func (p *Process) runEnded(exit frames.Exit) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running, p.input, p.exit = nil, nil, &exit
	p.tell(event{frame: frames.Ended(exit)})
}

func (p *Process) finish(exit frames.Exit) {
	exit.Restarting = false
	p.mu.Lock()
	p.running, p.input, p.exit, p.ended = nil, nil, &exit, time.Now()
	p.tell(event{frame: frames.Ended(exit), last: true})
	p.mu.Unlock()
	for _, ring := range p.rings {
		ring.close()
	}
	close(p.done)
}

func (p *Process) lastExit() *frames.Exit {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.exit
}

// ready describes the present run; the lock is held.
func (p *Process) ready() frames.Ready {
	ready := frames.Ready{ProcessID: p.spec.ID, Restarts: p.restarts, Offsets: p.offsets()}
	if p.running != nil {
		ready.Pid = p.running.Process.Pid
	}
	return ready
}

func (p *Process) offsets() frames.Offsets {
	_, stdout := p.rings[0].bounds()
	_, stderr := p.rings[1].bounds()
	return frames.Offsets{Stdout: stdout, Stderr: stderr}
}

// Done is closed at the process's end.
func (p *Process) Done() <-chan struct{} { return p.done }

// ID names the process.
func (p *Process) ID() string { return p.spec.ID }

// End asks everything that the process started to end, kills what is left after five seconds, and returns once it is over.
func (p *Process) End() {
	p.mu.Lock()
	if !p.stopping {
		p.stopping = true
		close(p.stop)
	}
	last := p.last
	p.mu.Unlock()
	last.Process.EndTree(grace)
	<-p.done
}

// Signal signals the process's group; an error if it does not run now.
func (p *Process) Signal(name string) error {
	signal, known := process.SignalByName(name)
	if !known {
		return problem.New(problem.Validation, "signal %.40q is unknown; for example TERM, INT, KILL, HUP", name)
	}
	return p.withRunning(func(current *run.Running) error {
		current.Signal(signal)
		return nil
	})
}

// Resize changes the terminal's size.
func (p *Process) Resize(size terminal.Size) error {
	return p.withRunning(func(current *run.Running) error {
		if !current.Resize(size) {
			return problem.New(problem.InvalidState, "process %s has no terminal to resize", p.spec.ID)
		}
		return nil
	})
}

func (p *Process) withRunning(act func(*run.Running) error) error {
	p.mu.Lock()
	current := p.running
	p.mu.Unlock()
	if current == nil {
		return p.notRunning()
	}
	return act(current)
}

func (p *Process) notRunning() error {
	return problem.New(problem.InvalidState, "process %s does not run now", p.spec.ID)
}

// claim makes someone the only one who writes, until unclaim.
func (p *Process) claim(who any) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.writer != nil && p.writer != who {
		return problem.New(problem.InvalidState, "another connection writes to process %s; this one may only read", p.spec.ID)
	}
	if p.writer == nil {
		p.vacant = make(chan struct{})
	}
	p.writer = who
	return nil
}

func (p *Process) unclaim(who any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.writer == who {
		p.writer = nil
		close(p.vacant)
	}
}

// vacancy is closed when the one who writes now, or wrote last, has gone.
func (p *Process) vacancy() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.vacant
}

// feed gives input to the present run; alive is asked while it does not read.
func (p *Process) feed(data []byte, eof bool, alive func() bool) error {
	p.mu.Lock()
	input, runs := p.input, p.running != nil
	p.mu.Unlock()
	switch {
	case !runs:
		return p.notRunning()
	case input == nil:
		return problem.New(problem.InvalidState, "process %s was started without input; start it with stdin open", p.spec.ID)
	}
	if !input.Put(data, alive) && alive() {
		return problem.New(problem.InvalidState, "the input of process %s has ended", p.spec.ID)
	}
	if eof {
		input.End(alive)
	}
	return nil
}
