package jail

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// process is a pid together with its start time: a pid alone may be another's by now.
type process struct {
	pid   int
	start string // clock ticks since boot, as /proc says
}

// processOf reads a running process; the zero value stands for one that is gone.
func processOf(pid int) process {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return process{}
	}
	// The name in parentheses may hold anything, so count from its end.
	rest := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(rest) < 20 || rest[0] == "Z" || rest[0] == "X" {
		return process{}
	}
	return process{pid: pid, start: rest[19]}
}

func parseProcess(text string) process {
	pid, start, ok := strings.Cut(text, ":")
	number, err := strconv.Atoi(pid)
	if !ok || err != nil || number < 2 {
		return process{}
	}
	return process{pid: number, start: start}
}

func (p process) String() string {
	if p.pid == 0 {
		return ""
	}
	return fmt.Sprintf("%d:%s", p.pid, p.start)
}

func (p process) alive() bool { return p.pid != 0 && processOf(p.pid) == p }

// child finds the only child of a process.
func (p process) child() process {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", p.pid, p.pid))
	if err != nil {
		return process{}
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return process{}
	}
	return processOf(pid)
}

// end kills exactly this process and waits until it is gone, at most for the time given.
func (p process) end(limit time.Duration) error {
	if !p.alive() {
		return nil
	}
	fd, err := unix.PidfdOpen(p.pid, 0)
	if err == unix.ESRCH {
		return nil
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if !p.alive() { // the pid changed hands before the descriptor was open
		return nil
	}
	if err := unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0); err != nil && err != unix.ESRCH {
		return err
	}
	return waitGone(fd, limit)
}

func waitGone(pidfd int, limit time.Duration) error {
	events := []unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}
	end := time.Now().Add(limit)
	for {
		ready, err := unix.Poll(events, int(time.Until(end).Milliseconds()))
		if err == unix.EINTR {
			continue
		}
		if err == nil && ready == 0 {
			return fail(Unavailable, "a killed process did not end within %s", limit)
		}
		return err
	}
}
