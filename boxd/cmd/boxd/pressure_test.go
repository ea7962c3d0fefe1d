package main

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
)

func TestSocketKeepLetsTheCommandRun(t *testing.T) {
	s := start(t)
	w := s.socketWith(t)
	w.text(`{"type":"start","command":"echo $$ > pid; while [ ! -e go ]; do echo noise; sleep 0.01; done; echo over > done; cat","on_disconnect":"keep"}`)
	pid := s.pidIn("pid")
	_ = w.conn.CloseNow()
	must(t, os.WriteFile(s.in("go"), nil, 0o644))
	eventually(t, "the command goes on", func() bool { return exists(s.in("done")) })
	if !alive(pid) {
		t.Fatal("its input was ended")
	}
}

func TestSocketSlowReaderSlowsTheCommandInBoundedMemory(t *testing.T) {
	s := startReal(t, nil)
	w := s.socketWith(t, "sandboxer.v1.binary")
	w.text(`{"type":"start","command":"head -c 100000000 /dev/zero; touch written"}`)
	w.expect("ready")
	eventually(t, "the command is held back", s.waitsToWrite)
	if exists(s.in("written")) {
		t.Fatal("100 MB are somewhere, and nobody has read them")
	}
	total := 0
	for {
		kind, raw, err := w.read()
		must(t, err)
		if kind == websocket.MessageText {
			break
		}
		total += len(raw) - 1
	}
	if total != 100_000_000 {
		t.Fatalf("%d bytes", total)
	}
	s.stayedSmall()
}

// waitsToWrite says whether head is asleep on its pipe, which boxd no longer empties.
func (s *sandbox) waitsToWrite() bool {
	for _, shell := range childrenOf(s.command.Process.Pid) {
		children, _ := os.ReadFile("/proc/" + shell + "/task/" + shell + "/children")
		for _, child := range strings.Fields(string(children)) {
			call, _ := os.ReadFile("/proc/" + child + "/syscall")
			if strings.HasPrefix(string(call), "1 ") || strings.HasPrefix(string(call), "64 ") {
				return true
			}
		}
	}
	return false
}

func TestSocketStdinIsBounded(t *testing.T) {
	s := startReal(t, nil)
	w := s.socketWith(t, "sandboxer.v1.binary")
	w.text(`{"type":"start","command":"while [ ! -e go ]; do sleep 0.01; done; cat | wc -c"}`)
	w.expect("ready")
	const pieces, piece = 100, 1 << 19
	sent := make(chan int, pieces)
	go func() {
		for i := range pieces {
			if w.conn.Write(t.Context(), websocket.MessageBinary, make([]byte, piece)) == nil {
				sent <- i
			}
		}
		_ = w.conn.Write(t.Context(), websocket.MessageText, []byte(`{"type":"stdin","eof":true}`))
	}()
	quiet(func() int { return len(sent) })
	if len(sent) == pieces {
		t.Fatal("boxd took 50 MB that the command does not read")
	}
	must(t, os.WriteFile(s.in("go"), nil, 0o644))
	w.untilExit()
	if got := strings.TrimSpace(w.stdout.String()); got != fmt.Sprint(pieces*(piece-1)) {
		t.Fatalf("%s bytes", got)
	}
	s.stayedSmall()
}

// quiet waits until the count has stood still for a while.
func quiet(count func() int) {
	for last, since := -1, time.Now(); time.Since(since) < 200*time.Millisecond; time.Sleep(5 * time.Millisecond) {
		if now := count(); now != last {
			last, since = now, time.Now()
		}
	}
}

// A command that ends while its reader is slow leaves a full pipe, which must still reach the reader.
func TestSocketDeliversWhatWasWrittenBeforeTheEnd(t *testing.T) {
	s := start(t)
	w := s.socketWith(t, "sandboxer.v1.binary")
	w.text(`{"type":"start","command":["dd","if=/dev/zero","bs=4096"]}`)
	pid := int(w.expect("ready")["pid"].(float64))
	quiet(func() int { return s.written(pid) })
	must(t, syscall.Kill(pid, syscall.SIGSTOP)) // it may only have paused
	eventually(t, "it stands still", func() bool { return stateOf(pid) == "T" })
	written := s.written(pid)
	w.text(`{"type":"signal","name":"KILL"}`)
	eventually(t, "it is dead", func() bool { return !alive(pid) })
	quiet(func() int { return 0 }) // so that nobody reads for longer than boxd lingers
	if w.untilExit(); w.stdout.Len() != written || written == 0 {
		t.Fatalf("%d bytes came of %d", w.stdout.Len(), written)
	}
}

// stateOf is the letter that /proc shows, such as R or T.
func stateOf(pid int) string {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(stat), ") ")
	return rest[:min(1, len(rest))]
}

func (s *sandbox) written(pid int) int {
	raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/io", pid))
	_, rest, _ := strings.Cut(string(raw), "wchar: ")
	var count int
	_, _ = fmt.Sscan(rest, &count)
	return count
}
