package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/coder/websocket"
)

// builtIn is removed after all tests.
var builtIn string

// realBoxd is the program as it is shipped, behind its system call filter: the race detector in the others would count as its memory.
var realBoxd = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "boxd")
	if err != nil {
		return "", err
	}
	builtIn = folder
	program := filepath.Join(folder, "boxd")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, text)
	}
	return program, nil
})

func startReal(t *testing.T, change settings) *sandbox {
	t.Helper()
	program, err := realBoxd()
	must(t, err)
	s := prepare(t)
	s.command.Path, s.command.Args[0] = program, program
	s.command.Args[len(s.command.Args)-1] = "--seccomp=on"
	s.launch(change)
	s.configure(`{}`)
	return s
}

// peakKiB is the most memory that boxd ever had.
func (s *sandbox) peakKiB() int { return s.statusKiB("VmHWM:") }

func (s *sandbox) statusKiB(field string) int {
	s.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.command.Process.Pid))
	must(s.t, err)
	_, rest, _ := strings.Cut(string(status), field)
	var kib int
	_, err = fmt.Sscan(rest, &kib)
	must(s.t, err)
	return kib
}

func TestTheProgramIsSmall(t *testing.T) {
	program, err := realBoxd()
	must(t, err)
	info, err := os.Stat(program)
	must(t, err)
	if info.Size() >= 10<<20 {
		t.Fatalf("boxd has %d bytes", info.Size())
	}
	s := startReal(t, nil)
	s.sh("true")
	if now := s.statusKiB("VmRSS:"); now >= 15<<10 {
		t.Fatalf("idle boxd has %d KiB", now)
	}
}

const hundred = 100_000_000

// noise is the same pseudo-random bytes for the same seed.
func noise(seed uint64) io.Reader {
	return io.LimitReader(rand.NewChaCha8([32]byte{byte(seed)}), hundred)
}

func hashOf(from io.Reader) string {
	sum := sha256.New()
	_, _ = io.Copy(sum, from)
	return hex.EncodeToString(sum.Sum(nil))
}

func TestAHundredMegabytesOfFilesInBoundedMemory(t *testing.T) {
	s := startReal(t, nil)
	want := hashOf(noise(1))
	request, err := http.NewRequest(http.MethodPost, "http://box/v1/files/upload?path=big", noise(1))
	must(t, err)
	if got := s.do(request); got.status != http.StatusCreated {
		t.Fatalf("%d %s", got.status, got.body)
	}
	file, err := os.Open(s.in("big"))
	must(t, err)
	defer file.Close()
	if hashOf(file) != want {
		t.Fatal("other bytes were written")
	}
	if got := s.downloaded("/v1/files/download?path=big"); got != want {
		t.Fatal("other bytes came back")
	}
	if got := s.downloaded("/v1/files/download?path=.&archive=tar"); got == "" {
		t.Fatal("no archive")
	}
	s.stayedSmall()
}

func (s *sandbox) downloaded(path string) string {
	s.t.Helper()
	request := s.request(http.MethodGet, path, "")
	request.Header.Set("Authorization", "Bearer "+s.anything())
	response, err := s.client.Do(request)
	must(s.t, err)
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		s.t.Fatal(response.StatusCode)
	}
	return hashOf(response.Body)
}

func (s *sandbox) stayedSmall() {
	s.t.Helper()
	if peak := s.peakKiB(); peak >= 64<<10 {
		s.t.Fatalf("boxd had %d KiB", peak)
	}
}

func TestAHundredMegabytesThroughAPipeBothWaysInBoundedMemory(t *testing.T) {
	s := startReal(t, nil)
	for _, start := range []string{`"on_disconnect":"kill"`, `"on_disconnect":"keep"`} {
		w := s.socketWith(t, "sandboxer.v1.binary")
		w.text(`{"type":"start","command":["cat"],` + start + `}`)
		w.expect("ready")
		go func() {
			from := noise(2)
			piece := make([]byte, 1+64<<10)
			for {
				n, err := io.ReadFull(from, piece[1:])
				if n > 0 && w.conn.Write(t.Context(), websocket.MessageBinary, piece[:1+n]) != nil || err != nil {
					break
				}
			}
			_ = w.conn.Write(t.Context(), websocket.MessageText, []byte(`{"type":"stdin","eof":true}`))
		}()
		if got := w.hashed(sha256.New()); got != hashOf(noise(2)) {
			t.Fatal(start, "other bytes came back")
		}
	}
	s.stayedSmall()
}

// hashed takes stdout to its end.
func (w *socketClient) hashed(sum hash.Hash) string {
	w.t.Helper()
	for {
		kind, raw, err := w.read()
		must(w.t, err)
		if kind == websocket.MessageText {
			if frame := frameOf(w.t, raw); frame["type"] != "exit" {
				w.t.Fatal(frame)
			}
			return hex.EncodeToString(sum.Sum(nil))
		}
		sum.Write(raw[1:])
	}
}

func TestThirtyMegabytesOfNDJSONInBoundedMemory(t *testing.T) {
	s := startReal(t, nil)
	must(t, os.WriteFile(s.in("noise"), nil, 0o644))
	file, err := os.OpenFile(s.in("noise"), os.O_WRONLY, 0)
	must(t, err)
	_, err = io.Copy(file, io.LimitReader(noise(3), 30_000_000))
	must(t, err)
	must(t, file.Close())
	request := s.request("POST", "/v1/exec", `{"command":"cat noise"}`)
	request.Header.Set("Accept", "application/x-ndjson")
	request.Header.Set("Authorization", "Bearer "+s.anything())
	response, err := s.client.Do(request)
	must(t, err)
	defer response.Body.Close()
	if got := hashOfNDJSON(t, response.Body); got != hashOf(io.LimitReader(noise(3), 30_000_000)) {
		t.Fatal("other bytes came")
	}
	s.stayedSmall()
}

func hashOfNDJSON(t *testing.T, from io.Reader) string {
	t.Helper()
	w := &socketClient{t: t}
	sum := sha256.New()
	buffered := newLines(from)
	for line := range buffered {
		if w.collect(frameOf(t, line)) {
			sum.Write(w.stdout.Bytes())
			w.stdoutFrom += w.stdout.Len()
			w.stdout.Reset()
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// Many commands with much output at once: their captured output is bounded together, and whoever is cut short is told so.
func TestOutputOfParallelCommandsIsBoundedTogether(t *testing.T) {
	s := startReal(t, nil)
	type outcome struct {
		size  int
		whole bool
		by    any
	}
	results := make(chan outcome, 12)
	for range cap(results) {
		go func() {
			got := s.post("/v1/exec", `{"command":"head -c 9000000 /dev/zero | tr '\\0' x; echo >> written; while [ $(wc -l < written) -lt 12 ]; do sleep 0.01; done"}`)
			var reply execReply
			if err := unmarshal(got.body, &reply); err != nil || got.status != 200 {
				t.Errorf("%d %.200s", got.status, got.body)
			}
			results <- outcome{len(reply.Stdout), !reply.StdoutTruncated, fieldOf(t, got.body, "truncated_by")}
		}()
	}
	cut := 0
	for range cap(results) {
		one := <-results
		if one.whole != (one.size == 9_000_000) || !one.whole && one.by != "limits.output_memory_bytes" {
			t.Errorf("%+v", one)
		}
		if !one.whole {
			cut++
		}
	}
	if cut == 0 {
		t.Fatal("all of 108 MB were held in memory")
	}
	s.stayedSmall()
	if again := s.sh("head -c 9000000 /dev/zero | tr '\\0' x"); again.StdoutTruncated {
		t.Fatal("the memory did not come back")
	}
}

// A thousand commands, 32 at a time, leave no descriptor, process or goroutine behind.
func TestAThousandShortCommandsLeaveNothing(t *testing.T) {
	s := startReal(t, nil)
	run := func(count int) {
		slots := make(chan struct{}, 32)
		for i := range count {
			slots <- struct{}{}
			go func() {
				defer func() { <-slots }()
				if reply := s.exec(settings{"command": []string{"sh", "-c", fmt.Sprint("exit ", i%7)}}); *reply.ExitCode != i%7 {
					t.Errorf("%+v", reply)
				}
			}()
		}
		for range cap(slots) {
			slots <- struct{}{}
		}
	}
	run(64)
	s.awaitNoClient()
	before := s.descriptors()
	run(1000)
	s.awaitNoClient()
	eventually(t, "the descriptors are as before", func() bool { return s.descriptors() <= before })
	eventually(t, "no process is left", func() bool { return len(childrenOf(s.command.Process.Pid)) == 0 })
	if goroutines := s.goroutines(); goroutines > 20 {
		t.Fatalf("%d goroutines are left", goroutines)
	}
}

func (s *sandbox) descriptors() int { return len(s.open("")) }

// open lists boxd's descriptors of a kind, such as "socket:".
func (s *sandbox) open(kind string) []string {
	s.t.Helper()
	folder := fmt.Sprintf("/proc/%d/fd/", s.command.Process.Pid)
	names, err := os.ReadDir(folder)
	must(s.t, err)
	var found []string
	for _, name := range names {
		if target, err := os.Readlink(folder + name.Name()); err == nil && strings.HasPrefix(target, kind) {
			found = append(found, target)
		}
	}
	return found
}

// awaitNoClient waits until boxd has noticed that all its clients are gone; only the socket on which it listens is left.
func (s *sandbox) awaitNoClient() {
	s.t.Helper()
	s.client.CloseIdleConnections()
	eventually(s.t, "no connection is left", func() bool { return len(s.open("socket:")) == 1 })
}

// goroutines ends boxd with what Go's runtime prints on SIGQUIT, and counts.
func (s *sandbox) goroutines() int {
	s.t.Helper()
	must(s.t, s.command.Process.Signal(syscall.SIGQUIT))
	<-s.ended
	s.ended <- nil
	count := bytes.Count(s.stderr.Bytes(), []byte("\ngoroutine "))
	if count == 0 {
		s.t.Fatalf("no goroutines were told: %s", s.stderr)
	}
	return count
}

func TestTwoHundredZombiesAreReaped(t *testing.T) {
	s := start(t)
	s.sh("i=0; while [ $i -lt 200 ]; do (setsid sh -c 'echo x >> orphans; exec sleep 0.05' &); i=$((i+1)); done")
	eventually(t, "all have run", func() bool { return exists(s.in("orphans")) && strings.Count(s.content("orphans"), "x") == 200 })
	eventually(t, "none is left", func() bool { return len(childrenOf(s.command.Process.Pid)) == 0 })
}

// Three commands that wait for each other can only end if they run at the same time.
func TestCommandsRunSideBySide(t *testing.T) {
	s := start(t)
	done := make(chan execReply)
	for i := range 3 {
		go func() {
			done <- s.exec(settings{"command": fmt.Sprintf("touch here%d; while [ ! -e here0 ] || [ ! -e here1 ] || [ ! -e here2 ]; do sleep 0.01; done", i), "timeout_ms": 20_000})
		}()
	}
	for range 3 {
		if reply := <-done; reply.TimedOut || *reply.ExitCode != 0 {
			t.Fatalf("%+v", reply)
		}
	}
}
