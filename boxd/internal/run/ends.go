package run

import (
	"os"
	"syscall"

	"dev.sandboxer/boxd/internal/process"
	"dev.sandboxer/boxd/internal/terminal"
)

// ends are those of pipes or a terminal that we keep, and those that the command gets.
type ends struct {
	ours   []*os.File
	theirs []int
}

// forCommand makes what the command wants and puts its ends into the spec.
func (e *ends) forCommand(spec *process.Spec, c Command, null *os.File) (*Running, error) {
	if c.TTY != nil {
		return e.withTerminal(spec, *c.TTY)
	}
	run := &Running{}
	var err error
	if c.Stdin || null == nil {
		if run.Stdin, err = e.toCommand(&spec.Stdio[0]); err != nil {
			return nil, err
		}
	} else {
		spec.Stdio[0] = null.Fd()
	}
	for i := range run.output {
		if run.output[i], err = e.fromCommand(&spec.Stdio[i+1]); err != nil {
			return nil, err
		}
	}
	return run, nil
}

func (e *ends) withTerminal(spec *process.Spec, size terminal.Size) (*Running, error) {
	pair, err := terminal.Open(size)
	if err != nil {
		return nil, &noTerminal{err}
	}
	e.ours = append(e.ours, pair.Ours.File)
	e.theirs = append(e.theirs, pair.Theirs)
	for i := range spec.Stdio {
		spec.Stdio[i] = uintptr(pair.Theirs)
	}
	return &Running{terminal: pair.Ours}, nil
}

func (e *ends) toCommand(theirs *uintptr) (*os.File, error) {
	pipe, err := e.open()
	if err != nil {
		return nil, err
	}
	return e.keep(pipe[1], pipe[0], theirs), nil
}

func (e *ends) fromCommand(theirs *uintptr) (*os.File, error) {
	pipe, err := e.open()
	if err != nil {
		return nil, err
	}
	return e.keep(pipe[0], pipe[1], theirs), nil
}

func (e *ends) open() ([2]int, error) {
	var pipe [2]int
	err := syscall.Pipe2(pipe[:], syscall.O_CLOEXEC)
	return pipe, err
}

// keep leaves the command's end blocking, as programs expect it, and makes ours wait in the poller.
func (e *ends) keep(ours, theirs int, into *uintptr) *os.File {
	_ = syscall.SetNonblock(ours, true)
	file := os.NewFile(uintptr(ours), "pipe")
	e.ours = append(e.ours, file)
	e.theirs = append(e.theirs, theirs)
	*into = uintptr(theirs)
	return file
}

func (e *ends) closeTheirs() {
	for _, fd := range e.theirs {
		_ = syscall.Close(fd)
	}
}

func (e *ends) closeOurs() {
	for _, file := range e.ours {
		_ = file.Close()
	}
}
