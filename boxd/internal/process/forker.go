package process

import (
	"bytes"
	"errors"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

// forker starts all commands from one thread of its own: what a thread takes on for good, like a filter of system calls, its children have
// and boxd's other threads have not.
type forker struct {
	specs   chan Spec
	results chan forked
	started chan int // to be offered to the kernel
	proc    string
}

const waitingOffers = 256

type forked struct {
	pid int
	err error
}

// newForker runs prepare on that thread before the first command; its error is every command's.
func newForker(prepare func() error) *forker {
	f := &forker{specs: make(chan Spec), results: make(chan forked), started: make(chan int, waitingOffers), proc: writableProc()}
	go f.run(prepare)
	go func() { // beside the commands, which do not wait for it
		for pid := range f.started {
			f.offer(pid)
		}
	}()
	return f
}

func (f *forker) run(prepare func() error) {
	runtime.LockOSThread()
	unprepared := prepare()
	for spec := range f.specs {
		if unprepared != nil {
			f.results <- forked{err: unprepared}
			continue
		}
		pid, err := fork(spec)
		if err == nil {
			f.started <- pid
		}
		f.results <- forked{pid, err}
	}
}

// fork is called by one goroutine at a time.
func (f *forker) fork(spec Spec) (int, error) {
	f.specs <- spec
	result := <-f.results
	return result.pid, result.err
}

func fork(spec Spec) (int, error) {
	attr := &syscall.ProcAttr{Dir: spec.Dir, Env: spec.Env, Files: spec.Stdio[:], Sys: &syscall.SysProcAttr{Setsid: true, Setctty: spec.TTY}}
	for try := 0; ; try++ {
		pid, err := syscall.ForkExec(spec.Path, spec.Argv, attr)
		// A program that was just uploaded may still be open for writing in another child, for the moment between its fork and exec.
		if !errors.Is(err, syscall.ETXTBSY) || try == 5 {
			return pid, err
		}
		time.Sleep(time.Millisecond)
	}
}

const (
	jailsProc = "/.sandboxer/proc" // where /proc itself is read-only
	firstToGo = "1000"
)

func writableProc() string {
	if _, err := os.Stat(jailsProc + "/self"); err == nil {
		return jailsProc
	}
	return "/proc"
}

// offer makes a command and all that it starts the kernel's choice when memory runs out, before boxd. It is written once the command
// runs: were boxd to wear the score for the length of a fork, it would itself be the choice for that long.
func (f *forker) offer(pid int) {
	folder := f.proc + "/" + strconv.Itoa(pid)
	for range 10 {
		err := os.WriteFile(folder+"/oom_score_adj", []byte(firstToGo), 0)
		if err == nil {
			break
		}
		if !errors.Is(err, syscall.EACCES) { // it is, for the last moment of the exec
			return
		}
		time.Sleep(100 * time.Microsecond)
	}
	early, _ := os.ReadFile(folder + "/task/" + strconv.Itoa(pid) + "/children") // that it started before; later ones inherit the score
	for _, child := range bytes.Fields(early) {
		if number, err := strconv.Atoi(string(child)); err == nil {
			f.offer(number)
		}
	}
}
