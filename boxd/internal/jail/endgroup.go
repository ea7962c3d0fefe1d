package jail

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	endLimit = 10 * time.Second
	pause    = time.Millisecond
)

// end kills everything in the group and removes its folders. Repeatable, also
// after a crash in the middle.
func (g *group) end() error {
	deadline := time.Now().Add(endLimit)
	for !g.empty() {
		if time.Now().After(deadline) {
			return fail(Unavailable, "processes in %s did not end within %s", strings.Join(g.dirs, ", "), endLimit)
		}
		g.strike(deadline)
	}
	return g.remove(deadline)
}

// strike kills all that is there now: at one stroke in a v2 tree, else frozen,
// so that nothing forks or is reused meanwhile.
func (g *group) strike(deadline time.Time) {
	if g.each(func(dir string) error { return put(dir, "cgroup.kill", "1") }) {
		g.await(deadline)
		return
	}
	frozen := g.each(func(dir string) error { return freeze(dir, deadline) })
	for _, dir := range g.dirs {
		killAll(dir)
	}
	if frozen { // a frozen v1 task does not take even SIGKILL
		g.each(func(dir string) error { return put(dir, "freezer.state", "THAWED") })
	}
	g.await(time.Now().Add(50 * pause))
}

// each says whether an action succeeded in at least one folder.
func (g *group) each(action func(string) error) bool {
	once := false
	for _, dir := range g.dirs {
		once = action(dir) == nil || once
	}
	return once
}

func freeze(dir string, deadline time.Time) error {
	if err := put(dir, "freezer.state", "FROZEN"); err != nil {
		return err
	}
	for time.Now().Before(deadline) {
		if slices.Equal(words(filepath.Join(dir, "freezer.state")), []string{"FROZEN"}) {
			break
		}
		time.Sleep(pause)
	}
	return nil
}

func (g *group) await(deadline time.Time) {
	for !g.empty() && time.Now().Before(deadline) {
		time.Sleep(pause)
	}
}

func (g *group) empty() bool {
	for _, dir := range g.dirs {
		if len(words(filepath.Join(dir, "cgroup.procs"))) > 0 {
			return false
		}
	}
	return true
}

// killAll signals through descriptors, and only processes that are still in the
// folder once theirs is open: a number alone may have changed hands.
func killAll(dir string) {
	procs := filepath.Join(dir, "cgroup.procs")
	for _, text := range words(procs) {
		pid, err := strconv.Atoi(text)
		if err != nil || pid < 2 || pid == os.Getpid() {
			continue
		}
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			continue
		}
		if slices.Contains(words(procs), text) {
			_ = unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
		}
		_ = unix.Close(fd)
	}
}

// remove waits out the moment in which the kernel still counts ended processes.
func (g *group) remove(deadline time.Time) error {
	for _, dir := range g.dirs {
		for {
			err := os.Remove(dir)
			if err == nil || errors.Is(err, fs.ErrNotExist) {
				break
			}
			if !errors.Is(err, unix.EBUSY) || time.Now().After(deadline) {
				return err
			}
			time.Sleep(pause)
		}
	}
	return nil
}
