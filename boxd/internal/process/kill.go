package process

import (
	"os"
	"sync"
	"syscall"
	"time"
)

const (
	sysPidfdSendSignal = 424
	sysPidfdOpen       = 434
	killTime           = 5 * time.Second
	patience           = time.Second // an ordinary tree is gone long before, on a busy machine as well
	ordinary           = 32          // processes of a tree that can be stopped one after the other
)

// killer ends trees of processes, one at a time. Where boxd is the first process it can hold the whole sandbox for that.
type killer struct{ one sync.Mutex }

// killAll ends what list returns, and what those start meanwhile: first all are stopped, until no new one appears, so that none can
// fork away; then all are killed, until none is left or five seconds are over. It returns whether none is left. Hundreds that do nothing but
// fork leave boxd too little of the processor to stop one after the other: then everything is stopped at once, for as long as the end takes.
func (k *killer) killAll(list func() []entry) bool {
	k.one.Lock() // what releases one tree would let another go on in the midst of its end
	defer k.one.Unlock()
	stopped := map[int]uint64{}
	begun := time.Now()
	for round := 0; round < 50; round++ {
		tree := list()
		if os.Getpid() == 1 && (len(tree) > ordinary || time.Since(begun) > patience) {
			_ = syscall.Kill(-1, syscall.SIGSTOP)
			defer release()
			break
		}
		if !stopNew(tree, stopped) {
			break
		}
	}
	return killListed(list)
}

// release lets everything go on that is left; what somebody had stopped before goes on as well, for looking first would take too long.
func release() { _ = syscall.Kill(-1, syscall.SIGCONT) }

func killListed(list func() []entry) bool {
	empty := 0 // twice: a child whose parent died while /proc was read has no parent in that listing
	for end := time.Now().Add(killTime); ; time.Sleep(time.Millisecond) {
		left := list()
		if len(left) > 0 {
			empty = 0
		} else if empty++; empty == 2 {
			return true
		}
		for _, e := range left {
			send(e, syscall.SIGKILL)
		}
		if time.Now().After(end) {
			return false
		}
	}
}

func stopNew(list []entry, stopped map[int]uint64) bool {
	found := false
	for _, e := range list {
		if !e.dead() && stopped[e.pid] != e.started {
			stopped[e.pid] = e.started
			send(e, syscall.SIGSTOP)
			found = true
		}
	}
	return found
}

// send signals exactly the process that was seen: the descriptor holds it, and its start time is checked after that.
func send(e entry, signal syscall.Signal) {
	fd, _, errno := syscall.Syscall(sysPidfdOpen, uintptr(e.pid), 0, 0)
	if errno == syscall.ESRCH {
		return
	}
	if now, ok := readEntry(e.pid); !ok || now.started != e.started {
		if errno == 0 {
			_ = syscall.Close(int(fd))
		}
		return
	}
	if errno != 0 { // a kernel or filter without pidfd
		_ = syscall.Kill(e.pid, signal)
		return
	}
	defer syscall.Close(int(fd))
	_, _, _ = syscall.Syscall6(sysPidfdSendSignal, fd, uintptr(signal), 0, 0, 0, 0)
}

// treeOf lists what the command started and is not reaped yet: until then it counts against the limits. Its mark decides; processes
// without any mark (they changed the limit) count by group, session or a parent in the tree.
func treeOf(leader int, mark uint64) []entry {
	self := os.Getpid()
	unmarked := func(e entry) bool { return e.mark == 0 && e.pid != self }
	return closure(snapshot(),
		func(e entry) bool {
			return e.pid != self && (e.mark == mark || unmarked(e) && (e.group == leader || e.session == leader))
		}, unmarked)
}

// descendants lists every process below boxd: as pid 1 or subreaper it inherits each orphan, so none is missing.
func descendants() []entry {
	self := os.Getpid()
	return closure(snapshot(),
		func(e entry) bool { return e.ppid == self && e.pid != self },
		func(e entry) bool { return e.pid != self })
}
