package main

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// joined is a running `boxd connect` and both ends of what it joins.
type joined struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.Reader
	stderr *bytes.Buffer
	peer   *net.UnixConn
}

func connectTo(t *testing.T, address string, listener *net.UnixListener) *joined {
	t.Helper()
	j := &joined{t: t, cmd: exec.Command(os.Args[0], "connect", address, "10"), stderr: &bytes.Buffer{}}
	j.cmd.Env = []string{runAsBoxd + "=1", "GORACE=atexit_sleep_ms=0"}
	j.cmd.Stderr = j.stderr
	var err error
	j.in, err = j.cmd.StdinPipe()
	must(t, err)
	j.out, err = j.cmd.StdoutPipe()
	must(t, err)
	must(t, j.cmd.Start())
	t.Cleanup(func() { _ = j.cmd.Process.Kill() })
	j.peer, err = listener.AcceptUnix()
	must(t, err)
	if got := j.piece(); len(got) != 0 {
		t.Fatalf("it began with %q", got)
	}
	return j
}

func (j *joined) piece() []byte {
	j.t.Helper()
	var head [4]byte
	_, err := io.ReadFull(j.out, head[:])
	must(j.t, err)
	piece := make([]byte, binary.BigEndian.Uint32(head[:]))
	_, err = io.ReadFull(j.out, piece)
	must(j.t, err)
	return piece
}

func (j *joined) send(data string) {
	j.t.Helper()
	_, err := j.in.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), data...))
	must(j.t, err)
}

// exits waits for its end, and fails after too long.
func (j *joined) exits() int {
	j.t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- j.cmd.Wait() }()
	select {
	case <-ended:
		return j.cmd.ProcessState.ExitCode()
	case <-time.After(10 * time.Second):
		j.t.Fatal("it did not end")
		return 0
	}
}

func listenAt(t *testing.T, name string) *net.UnixListener {
	t.Helper()
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: name, Net: "unix"})
	must(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	return listener
}

func TestConnectPassesBytesAndEachEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	j := connectTo(t, "unix:"+path, listenAt(t, path))
	big := strings.Repeat("0123456789", 20_000)
	go j.send(big)
	got := make([]byte, len(big))
	_, err := io.ReadFull(j.peer, got)
	must(t, err)
	if string(got) != big {
		t.Fatal("other bytes came")
	}
	_, err = j.peer.Write([]byte("back"))
	must(t, err)
	if got := j.piece(); string(got) != "back" {
		t.Fatalf("%q", got)
	}
	j.send("")
	if rest, err := io.ReadAll(j.peer); err != nil || len(rest) != 0 {
		t.Fatalf("%q %v", rest, err)
	}
	// One way has ended, the other goes on.
	_, err = j.peer.Write([]byte("more"))
	must(t, err)
	must(t, j.peer.Close())
	if got := string(j.piece()) + string(j.piece()); got != "more" {
		t.Fatalf("%q", got)
	}
	if code := j.exits(); code != 0 {
		t.Fatal(code, j.stderr)
	}
}

func TestConnectEndsWithWhoeverStartedIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	j := connectTo(t, "unix:"+path, listenAt(t, path))
	must(t, j.in.Close())
	if rest, err := io.ReadAll(j.peer); err != nil || len(rest) != 0 {
		t.Fatalf("%q %v", rest, err)
	}
	if code := j.exits(); code != 1 {
		t.Fatal(code, j.stderr)
	}
}

func TestConnectWaitsForBoxdAtANameWithoutAFile(t *testing.T) {
	s := prepare(t)
	name := "@boxd-test-" + filepath.Base(filepath.Dir(s.socket))
	early := exec.Command(os.Args[0], "connect", "unix:"+name, "20")
	early.Env = []string{runAsBoxd + "=1", "GORACE=atexit_sleep_ms=0"}
	request := "GET /v1/health HTTP/1.1\r\nHost: boxd\r\nConnection: close\r\n\r\n"
	early.Stdin = strings.NewReader(string(binary.BigEndian.AppendUint32(nil, uint32(len(request)))) + request + "\x00\x00\x00\x00")
	var out bytes.Buffer
	early.Stdout = &out
	must(t, early.Start())

	serve := exec.Command(os.Args[0], "serve", "--config-text", string(s.config(nil)), "--listen", "unix:"+name, "--seccomp=off")
	serve.Env = early.Env
	must(t, serve.Start())
	t.Cleanup(func() { _ = serve.Process.Kill(); _ = serve.Wait() })
	must(t, early.Wait())
	if !strings.HasPrefix(out.String(), "\x00\x00\x00\x00") || !strings.Contains(out.String(), sandboxID) || !strings.HasSuffix(out.String(), "\x00\x00\x00\x00") {
		t.Fatalf("%q", out.String())
	}
	again := exec.Command(os.Args[0], serve.Args[1:]...)
	again.Env = early.Env
	if text, err := again.CombinedOutput(); err == nil || !strings.Contains(string(text), "address already in use") {
		t.Fatalf("a second one took the name: %v %s", err, text)
	}
}

func TestConnectSaysThatNobodyListens(t *testing.T) {
	for says, args := range map[string][]string{
		"no such file": {"connect", "unix:" + t.TempDir() + "/none", "0"},
		"usage: boxd":  {"connect", "unix:/x"},
		"boxd connect": {"connect", "tcp:1", "1"},
		"SECONDS":      {"connect", "unix:/x", "-1"},
	} {
		command := exec.Command(os.Args[0], args...)
		command.Env = []string{runAsBoxd + "=1"}
		if text, err := command.CombinedOutput(); err == nil || !strings.Contains(string(text), says) {
			t.Errorf("%v: %v %s", args, err, text)
		}
	}
}
