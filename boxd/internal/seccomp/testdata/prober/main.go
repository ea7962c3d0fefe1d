// Command prober asks the kernel one question and prints the answer: "ok", an
// errno's name, or what it saw. Tests run it inside a jail, and outside as the
// positive control.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	lastNumber = 600
	calling    = "calling\n" // what bare prints before the call
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "prober QUESTION [NUMBER...]")
		os.Exit(2)
	}
	question, known := questions()[os.Args[1]]
	if !known {
		fmt.Fprintf(os.Stderr, "unknown question %q\n", os.Args[1])
		os.Exit(2)
	}
	question(numbers(os.Args[2:]))
}

func numbers(texts []string) []uintptr {
	values := make([]uintptr, 6)
	for i, text := range texts {
		value, err := strconv.ParseInt(text, 0, 64)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		values[i] = uintptr(value)
	}
	return values
}

func questions() map[string]func([]uintptr) {
	all := map[string]func([]uintptr){
		"syscalls": func([]uintptr) { syscalls() },
		"call": func(n []uintptr) {
			say(syscall.RawSyscall6(n[0], n[1], n[2], n[3], n[4], n[5], 0))
		},
		"try":     func(n []uintptr) { fmt.Println(try(int(n[0]))) },
		"bare":    func(n []uintptr) { bare(n[0]) },
		"int80":   func([]uintptr) { fmt.Println("pid", int80(20)) },
		"prlimit": func(n []uintptr) { limits(int(n[0])) },
		"memory":  func(n []uintptr) { readMemory(int(n[0])) },
		"inotify": func(n []uintptr) { inotify(int(n[0])) },
		"pipes":   func(n []uintptr) { pipes(int(n[0])) },
		"mqueues": func(n []uintptr) { queues(int(n[0])) },
		"eat":     func(n []uintptr) { eat(int(n[0])) },
		"forks":   func(n []uintptr) { forks(int(n[0])) },
		"connect": func([]uintptr) { connect() },
	}
	return all
}

func say(_, _ uintptr, errno syscall.Errno) { fmt.Println(name(errno)) }

func name(errno syscall.Errno) string {
	if errno == 0 {
		return "ok"
	}
	return unix.ErrnoName(errno)
}

func failed(err error) {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		fmt.Println(name(errno))
	} else {
		fmt.Println(err)
	}
}

// syscalls tries every number in a process of its own: some block, some end it.
func syscalls() {
	for number := 0; number <= lastNumber; number++ {
		fmt.Printf("%d %s\n", number, try(number))
	}
}

// try makes a call in another process, until that process has come as far as the call: a busy
// machine may take longer to start it than a call may block.
func try(number int) string {
	for {
		if answer, called := tryOnce(number); called {
			return answer
		}
	}
}

func tryOnce(number int) (answer string, called bool) {
	within, stop := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer stop()
	command := exec.CommandContext(within, "/proc/self/exe", "bare", strconv.Itoa(number))
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	command.WaitDelay = 100 * time.Millisecond // what fork made may hold the pipe
	text, err := command.Output()
	_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
	status, _ := command.ProcessState.Sys().(syscall.WaitStatus)
	rest, called := strings.CutPrefix(string(text), calling)
	switch {
	case status.Signaled() && status.Signal() == syscall.SIGSYS:
		return "killed", true
	case err != nil || len(rest) == 0: // blocked, ended itself, or came back broken: it was let through
		return "open", called
	}
	first, _, _ := strings.Cut(rest, "\n") // fork answers twice
	return first, true
}

// bare makes one call with arguments that no call can use.
func bare(number uintptr) {
	bad := ^uintptr(0)
	fmt.Print(calling)
	_, _, errno := syscall.RawSyscall6(number, bad, bad, bad, bad, bad, bad)
	switch errno {
	case unix.EPERM, unix.ENOSYS:
		fmt.Println(name(errno))
	default:
		fmt.Println("open")
	}
}

func limits(pid int) {
	var old unix.Rlimit
	if err := unix.Prlimit(pid, unix.RLIMIT_NOFILE, nil, &old); err != nil {
		failed(err)
		return
	}
	failedOrOK(unix.Prlimit(pid, unix.RLIMIT_NOFILE, &old, nil))
}

func failedOrOK(err error) {
	if err != nil {
		failed(err)
		return
	}
	fmt.Println("ok")
}

// readMemory asks for another process's memory; 0 is its own parent's child, itself.
func readMemory(pid int) {
	if pid == 0 {
		pid = os.Getpid()
	}
	buffer := make([]byte, 8)
	local := []unix.Iovec{{Base: &buffer[0], Len: 8}}
	_, err := unix.ProcessVMReadv(pid, local, []unix.RemoteIovec{{Base: 0x400000, Len: 8}}, 0)
	failedOrOK(err)
}

// inotify, pipes and queues take what they can get, up to a number, say how
// much that was, and keep it until stdin ends.
func inotify(most int) {
	take(most, func() error {
		_, err := unix.InotifyInit1(0)
		return err
	})
}

func pipes(most int) {
	take(most, func() error {
		ends := make([]int, 2)
		if err := unix.Pipe2(ends, 0); err != nil {
			return err
		}
		_, err := unix.FcntlInt(uintptr(ends[0]), unix.F_SETPIPE_SZ, 1<<20)
		return err
	})
}

func queues(most int) {
	made := 0
	take(most, func() error {
		made++
		queue, err := unix.BytePtrFromString(fmt.Sprintf("q%d-%d", os.Getpid(), made))
		if err != nil {
			return err
		}
		_, _, errno := syscall.Syscall6(unix.SYS_MQ_OPEN, ptr(queue), unix.O_CREAT|unix.O_RDWR, 0o600, 0, 0, 0)
		if errno != 0 {
			return errno
		}
		_, _, _ = syscall.Syscall(unix.SYS_MQ_UNLINK, ptr(queue), 0, 0) // the descriptor keeps it
		return nil
	})
}

func take(most int, one func() error) {
	taken := 0
	for taken < most {
		if one() != nil {
			break
		}
		taken++
	}
	fmt.Println(taken)
	_, _ = os.Stdin.Read(make([]byte, 1))
}

func eat(megabytes int) {
	var held [][]byte
	for range megabytes {
		block := make([]byte, 1<<20)
		for i := 0; i < len(block); i += 4096 {
			block[i] = 1
		}
		held = append(held, block)
	}
	fmt.Println(len(held))
}

func forks(most int) {
	made := 0
	for made < most {
		if exec.Command("/bin/sleep", "30").Start() != nil {
			break
		}
		made++
	}
	fmt.Println(made)
}

func connect() {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		failed(err)
		return
	}
	failedOrOK(unix.Connect(fd, &unix.SockaddrInet4{Port: 80, Addr: [4]byte{1, 1, 1, 1}}))
}
