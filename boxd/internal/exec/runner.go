// Package exec runs commands for clients: whole over HTTP, streamed as NDJSON, and live over a WebSocket.
package exec

import (
	"os"
	"syscall"

	"dev.sandboxer/boxd/internal/config"
	"dev.sandboxer/boxd/internal/problem"
	"dev.sandboxer/boxd/internal/process"
)

// Runner starts commands in the sandbox's environment.
type Runner struct {
	table      *process.Table
	workspace  string
	base       map[string]string
	configured func() map[string]string
	limits     config.Limits
	slots      chan struct{}
	null       *os.File // nil in an image without /dev/null
}

// NewRunner makes a runner; configured returns the environment that configure set, image is that of the image.
func NewRunner(c config.Config, table *process.Table, configured func() map[string]string, image map[string]string) *Runner {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		null = nil
	}
	return &Runner{
		table:      table,
		workspace:  c.Workspace,
		base:       process.Env(image, map[string]string{"HOME": c.Home, "TMPDIR": c.Tmp}),
		configured: configured,
		limits:     c.Limits,
		slots:      make(chan struct{}, c.Limits.MaxProcesses),
		null:       null,
	}
}

// start begins the command; with stdin, its input is a pipe, else it is empty.
func (r *Runner) start(c command, stdin bool) (*running, error) {
	spec, err := r.spec(c)
	if err != nil {
		return nil, err
	}
	select {
	case r.slots <- struct{}{}:
	default:
		return nil, problem.New(problem.QuotaExceeded, "%d commands already run in this sandbox, which is its limit", cap(r.slots))
	}
	run, err := r.launch(spec, stdin)
	if err != nil {
		<-r.slots
		return nil, explainStart(spec, err)
	}
	return run, nil
}

func (r *Runner) launch(spec process.Spec, stdin bool) (*running, error) {
	var pipes pipes
	defer pipes.closeTheirs()
	run := &running{release: func() { <-r.slots }}
	input := r.null
	var err error
	if stdin || input == nil {
		if run.stdin, err = pipes.toCommand(&spec.Stdio[0]); err != nil {
			return nil, err
		}
	} else {
		spec.Stdio[0] = input.Fd()
	}
	for i := range run.output {
		if run.output[i], err = pipes.fromCommand(&spec.Stdio[i+1]); err != nil {
			pipes.closeOurs()
			return nil, err
		}
	}
	if run.process, err = r.table.Start(spec); err != nil {
		pipes.closeOurs()
		return nil, err
	}
	if !stdin && run.stdin != nil {
		_ = run.stdin.Close()
	}
	return run, nil
}

// pipes are the ends that we keep and the ends that the command gets.
type pipes struct {
	ours   []*os.File
	theirs []int
}

func (p *pipes) toCommand(theirs *uintptr) (*os.File, error) {
	ends, err := p.open()
	if err != nil {
		return nil, err
	}
	return p.keep(ends[1], ends[0], theirs), nil
}

func (p *pipes) fromCommand(theirs *uintptr) (*os.File, error) {
	ends, err := p.open()
	if err != nil {
		return nil, err
	}
	return p.keep(ends[0], ends[1], theirs), nil
}

func (p *pipes) open() ([2]int, error) {
	var ends [2]int
	err := syscall.Pipe2(ends[:], syscall.O_CLOEXEC)
	return ends, err
}

// keep leaves the command's end blocking, as programs expect it, and makes ours wait in the poller.
func (p *pipes) keep(ours, theirs int, into *uintptr) *os.File {
	_ = syscall.SetNonblock(ours, true)
	file := os.NewFile(uintptr(ours), "pipe")
	p.ours = append(p.ours, file)
	p.theirs = append(p.theirs, theirs)
	*into = uintptr(theirs)
	return file
}

func (p *pipes) closeTheirs() {
	for _, fd := range p.theirs {
		_ = syscall.Close(fd)
	}
}

func (p *pipes) closeOurs() {
	for _, file := range p.ours {
		_ = file.Close()
	}
}
