package main

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// awaitEnd waits until boxd has ended and returns its exit code.
func (s *sandbox) awaitEnd() int {
	s.t.Helper()
	select {
	case <-s.ended:
	case <-time.After(20 * time.Second):
		s.t.Fatal("boxd still runs")
	}
	s.ended <- nil
	return s.command.ProcessState.ExitCode()
}

func TestHealthAnswersAnybodyAtAnyTime(t *testing.T) {
	s := startUnconfigured(t, nil)
	request := s.request("GET", "/v1/health", "")
	request.Header["Authorization"] = []string{"Bearer nonsense"}
	got := s.do(request)
	want := `{"version":"0.1.0-dev","sandbox_id":"` + sandboxID + `","generation":3}`
	if got.status != 200 || string(got.body) != want || got.header.Get("Content-Type") != "application/json" {
		t.Fatalf("%d %s", got.status, got.body)
	}
}

func TestNothingRunsBeforeConfigure(t *testing.T) {
	s := startUnconfigured(t, nil)
	wantProblem(t, s.post("/v1/exec", `{"command":"true"}`), http.StatusLocked, "SANDBOX_STARTING")
	wantProblem(t, s.get("/v1/files/list"), http.StatusLocked, "SANDBOX_STARTING")
	wantProblem(t, s.get("/v1/exec/ws"), http.StatusLocked, "SANDBOX_STARTING")
	request := s.request("POST", "/v1/exec", `{"command":"true"}`)
	request.Header.Set("Authorization", "Bearer x")
	wantProblem(t, s.do(request), http.StatusUnauthorized, "UNAUTHENTICATED") // the token comes first
	s.configure(`{}`)
	if got := s.sh("echo on"); got.Stdout != "on\n" {
		t.Fatalf("%+v", got)
	}
}

func TestControlRefusesBadRequests(t *testing.T) {
	s := startUnconfigured(t, nil)
	for path, bodies := range map[string][]string{
		"/v1/control/configure": {``, `[]`, `{"env":[]}`, `{"env":{"A":1}}`, `{"env":{"A=B":"1"}}`, `{"environment":{}}`, `{"deadline_seconds":0}`, `{"deadline_seconds":-5}`, `{"deadline_seconds":99999999999}`},
		"/v1/control/deadline":  {``, `{}`, `{"deadline_seconds":0}`, `{"deadline_seconds":"1"}`, `{"deadline":5}`},
		"/v1/control/shutdown":  {``, `{"if_idle_since":1}`, `{"if_idle_since":"now"}`, `[]`},
	} {
		for _, body := range bodies {
			wantProblem(t, s.post(path, body), http.StatusBadRequest, "VALIDATION")
		}
	}
	wantProblem(t, s.get("/v1/files/list"), http.StatusLocked, "SANDBOX_STARTING")
}

func TestUnknownRoutesAndMethods(t *testing.T) {
	s := start(t)
	for _, path := range []string{"/", "/v1", "/v1/", "/v1/exec/", "//v1/exec", "/v1/shell", "/v1/processes/a/b", "/v1/ports/", "/v2/exec"} {
		wantProblem(t, s.get(path), http.StatusNotFound, "NOT_FOUND")
	}
	got := s.get("/v1/exec")
	wantProblem(t, got, http.StatusMethodNotAllowed, "METHOD_NOT_ALLOWED")
	if got.header.Get("Allow") != "POST" {
		t.Fatal(got.header)
	}
}

func TestRequestIDIsKeptWhenItIsOne(t *testing.T) {
	s := start(t)
	for id, kept := range map[string]bool{"req_abc-1": true, "": false, "a b": false, strings.Repeat("x", 200): false} {
		request := s.request("GET", "/v1/nothing", "")
		request.Header.Set("X-Request-Id", id)
		got := s.do(request)
		got.problem(t)
		if answered := got.header.Get("X-Request-Id"); (answered == id) != kept || answered == "" {
			t.Errorf("%q became %q", id, answered)
		}
	}
}

func TestTermIsForwardedAndBoxdEnds(t *testing.T) {
	s := start(t)
	s.sh(`setsid sh -c 'trap "echo got it > got; exit" TERM; echo $$ > pid; while :; do sleep 0.01; done' >/dev/null 2>&1 &`)
	pid := s.pidIn("pid")
	must(t, s.command.Process.Signal(syscall.SIGTERM))
	if code := s.awaitEnd(); code != 0 || !exists(s.in("got")) || alive(pid) {
		t.Fatal(code, exists(s.in("got")), alive(pid))
	}
}

func TestDeadlineEndsEverything(t *testing.T) {
	for name, set := range map[string]func(*sandbox){
		"by deadline":  func(s *sandbox) { s.post("/v1/control/deadline", `{"deadline_seconds":1}`) },
		"by configure": func(s *sandbox) { s.configure(`{"deadline_seconds":1}`) },
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t)
			s.sh(`setsid sh -c 'trap "" TERM INT HUP; echo $$ > pid; sleep 600; sleep 600' >/dev/null 2>&1 &`)
			pid := s.pidIn("pid")
			set(s)
			if s.awaitEnd(); alive(pid) {
				t.Fatal("a process outlived the deadline")
			}
		})
	}
	s := prepare(t)
	s.begin(settings{"deadline_seconds": 1}) // it may be over before anybody has asked
	s.awaitEnd()
}

func TestShutdownAnswersThenEnds(t *testing.T) {
	s := start(t)
	if got := s.post("/v1/control/shutdown", `{}`); got.status != http.StatusAccepted {
		t.Fatal(got.status)
	}
	if code := s.awaitEnd(); code != 0 {
		t.Fatal(code)
	}
}

func TestCommandsCannotLookIntoBoxd(t *testing.T) {
	s := startUnprivileged(t)
	for _, line := range []string{
		"cat /proc/$PPID/environ", "cat /proc/$PPID/maps", "ls -l /proc/$PPID/fd/", "readlink /proc/$PPID/exe", "dd if=/proc/$PPID/mem count=1",
	} {
		if got := s.sh(line); *got.ExitCode == 0 || got.Stdout != "" || strings.Contains(got.Stderr, "No such file") {
			t.Errorf("%s: %+v", line, got)
		}
		// The same on a process of one's own works, so that the refusal above is no accident.
		if got := s.sh(strings.ReplaceAll(line, "$PPID", "self")); *got.ExitCode != 0 && !strings.HasPrefix(line, "dd") {
			t.Errorf("%s on itself: %+v", line, got)
		}
	}
}

func TestConnectionsBeyondTheLimitGetAnAnswer(t *testing.T) {
	s := startUnconfigured(t, settings{"limits": settings{"connections": 4}})
	s.client.CloseIdleConnections()
	var open []net.Conn
	defer func() {
		for _, conn := range open {
			_ = conn.Close()
		}
	}()
	eventually(t, "a connection is refused", func() bool {
		conn, err := s.dial(t.Context(), "", "")
		must(t, err)
		open = append(open, conn)
		_, _ = io.WriteString(conn, "GET /v1/health HTTP/1.1\r\nHost: box\r\n\r\n")
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		must(t, err)
		return response.StatusCode == http.StatusTooManyRequests && response.Header.Get("Content-Type") == "application/problem+json"
	})
	if len(open) > 6 {
		t.Fatalf("%d connections were let in", len(open)-1)
	}
	for _, conn := range open {
		_ = conn.Close()
	}
	open = nil
	eventually(t, "there is room again", func() bool {
		response, err := s.client.Get("http://box/v1/health")
		if err != nil {
			return false
		}
		defer response.Body.Close()
		return response.StatusCode == http.StatusOK
	})
}

func TestHostileHTTPIsRefusedAndTheNextRequestServed(t *testing.T) {
	s := start(t)
	token := s.anything()
	post := "POST /v1/exec HTTP/1.1\r\nHost: box\r\nAuthorization: Bearer " + token + "\r\nContent-Type: application/json\r\n"
	for name, raw := range map[string]string{
		"huge header":      "GET /v1/health HTTP/1.1\r\nHost: box\r\nX: " + strings.Repeat("x", 100_000) + "\r\n\r\n",
		"two lengths":      post + "Content-Length: 4\r\nContent-Length: 5\r\n\r\nnull",
		"negative length":  post + "Content-Length: -4\r\n\r\nnull",
		"bad chunk":        post + "Transfer-Encoding: chunked\r\n\r\nzz\r\nnull\r\n0\r\n\r\n",
		"unknown encoding": post + "Transfer-Encoding: gzip\r\n\r\nnull",
		"no HTTP":          "hello\r\n\r\n",
		"no host":          "GET /v1/health HTTP/1.1\r\n\r\n",
		"two hosts":        "GET /v1/health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
		"bad header":       "GET /v1/health HTTP/1.1\r\nHost: box\r\nA B: c\r\n\r\n",
		"two tokens":       "GET /v1/files/list HTTP/1.1\r\nHost: box\r\nAuthorization: Bearer " + token + "\r\nAuthorization: Bearer " + token + "\r\n\r\n",
	} {
		conn, err := s.dial(t.Context(), "", "")
		must(t, err)
		_, _ = io.WriteString(conn, raw)
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || response.StatusCode < 400 || response.StatusCode >= 600 {
			t.Errorf("%s: %v %v", name, response, err)
		}
		_ = conn.Close()
		if got := s.get("/v1/health"); got.status != http.StatusOK {
			t.Fatalf("after %s: %d", name, got.status)
		}
	}
}

func TestListenerThatIsHandedIn(t *testing.T) {
	t.Setenv(transport, "")
	s := startUnconfigured(t, nil)
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: s.socket + "2", Net: "unix"})
	must(t, err)
	listener.SetUnlinkOnClose(false)
	file, err := listener.File()
	must(t, err)
	secret, err := os.Create(filepath.Join(t.TempDir(), "handed-in"))
	must(t, err)
	configPath := filepath.Join(filepath.Dir(s.socket), "config.json")
	second := exec.Command(os.Args[0], "serve", "--config", configPath, "--listen", "fd:3")
	second.Env = []string{runAsBoxd + "=1", "PATH=" + os.Getenv("PATH"), "GORACE=atexit_sleep_ms=0"}
	second.ExtraFiles = []*os.File{file, secret}
	must(t, second.Start())
	defer func() {
		_ = second.Process.Kill()
		_ = second.Wait()
	}()
	_, _ = file.Close(), listener.Close()
	s.socket += "2"
	s.client.CloseIdleConnections()
	s.configure(`{}`)
	got := s.sh("ls -l /proc/self/fd")
	if strings.Contains(got.Stdout, "handed-in") || strings.Contains(got.Stdout, "socket:") || !strings.Contains(got.Stdout, "pipe:") {
		t.Fatalf("commands inherit descriptors: %q", got.Stdout)
	}
}

func TestSocketFileReplacesAStaleOne(t *testing.T) {
	t.Setenv(transport, "")
	s := startUnconfigured(t, nil)
	info, err := os.Stat(s.socket)
	must(t, err)
	if info.Mode() != os.ModeSocket|0o666 {
		t.Fatal(info.Mode())
	}
	configPath := filepath.Join(filepath.Dir(s.socket), "config.json")
	must(t, s.command.Process.Kill())
	eventually(t, "boxd is dead", func() bool { return !alive(s.command.Process.Pid) })
	again := exec.Command(os.Args[0], "serve", "--config", configPath, "--listen", "unix:"+s.socket, "--seccomp=off")
	again.Env = s.command.Env
	must(t, again.Start())
	defer func() {
		_ = again.Process.Kill()
		_ = again.Wait()
	}()
	eventually(t, "the new one answers", func() bool {
		response, err := s.client.Get("http://box/v1/health")
		if err == nil {
			_ = response.Body.Close()
		}
		return err == nil
	})
}

func TestVersion(t *testing.T) {
	s := startUnconfigured(t, nil)
	command := exec.Command(os.Args[0], "version")
	command.Env = s.command.Env
	out, err := command.Output()
	if err != nil || !strings.HasPrefix(string(out), "boxd 0.1.0-dev linux/") {
		t.Fatalf("%v %s", err, out)
	}
}

func TestLogHoldsNoCommandsTokensOrContents(t *testing.T) {
	s := start(t)
	token := s.anything()
	request := s.request("POST", "/v1/exec", `{"command":"echo classified; cat","stdin":"classified","env":{"A":"classified"}}`)
	request.Header.Set("Authorization", "Bearer "+token)
	s.do(request)
	s.upload("path=classified", "classified")
	s.stop()
	log := s.stderr.String()
	if strings.Contains(log, "classified") || strings.Contains(log, token) || !strings.Contains(log, `"event":"ending"`) {
		t.Fatal(log)
	}
	for _, line := range lines(log) {
		frameOf(t, []byte(line))
	}
}
