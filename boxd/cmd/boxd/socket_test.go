package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/coder/websocket"
)

func TestSocketRunsACommand(t *testing.T) {
	s := start(t)
	w := s.socketWith(t)
	w.text(`{"type":"start","command":"read line; echo got $line; echo $X >&2; pwd >&2; exit 3","cwd":"/","env":{"X":"y"},"process_id":"mine"}`)
	if ready := w.expect("ready"); ready["process_id"] != "mine" || ready["pid"].(float64) < 2 {
		t.Fatal(ready)
	}
	w.text(`{"type":"stdin","data":"x\n"}`)
	exit := w.untilExit()
	if w.stdout.String() != "got x\n" || w.stderr.String() != "y\n/\n" || exit["exit_code"] != 3.0 || exit["signal"] != nil || exit["timed_out"] != false {
		t.Fatalf("%q %q %v", w.stdout.String(), w.stderr.String(), exit)
	}
	if code := w.untilClosed(); code != websocket.StatusNormalClosure {
		t.Fatal(code)
	}
}

func TestSocketStdinEndIsForwarded(t *testing.T) {
	s := start(t)
	for _, protocol := range []string{"", "sandboxer.v1.json", "sandboxer.v1.binary"} {
		w := s.socketWith(t, protocol)
		w.text(`{"type":"start","command":["sha256sum"]}`)
		w.expect("ready")
		w.text(`{"type":"stdin","data":"aGVsbG8=","encoding":"base64"}`)
		w.text(`{"type":"stdin","data":" world"}`)
		w.text(`{"type":"stdin","eof":true}`)
		w.untilExit()
		if !strings.HasPrefix(w.stdout.String(), "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9") {
			t.Fatal(w.stdout.String())
		}
	}
}

func TestSocketBinaryEchoIsExact(t *testing.T) {
	s := start(t)
	w := s.socketWith(t, "sandboxer.v1.binary")
	w.text(`{"type":"start","command":["cat"]}`)
	w.expect("ready")
	sent := make([]byte, 3<<20)
	for i := range sent {
		sent[i] = byte(rand.IntN(256))
	}
	go func() {
		for rest := sent; len(rest) > 0; {
			n := min(len(rest), 1+rand.IntN(200_000))
			_ = w.conn.Write(t.Context(), websocket.MessageBinary, append([]byte{0}, rest[:n]...))
			rest = rest[n:]
		}
		_ = w.conn.Write(t.Context(), websocket.MessageText, []byte(`{"type":"stdin","eof":true}`))
	}()
	w.untilExit()
	if !bytes.Equal(w.stdout.Bytes(), sent) {
		t.Fatalf("%d bytes came back of %d, or others", w.stdout.Len(), len(sent))
	}
}

func TestSocketTextNeverSplitsACharacter(t *testing.T) {
	s := start(t)
	w := s.socketWith(t)
	w.text(`{"type":"start","command":"yes '€𝄞ä' | head -c 3000000; printf '\\377'; printf '\\360\\235' >&2"}`)
	w.untilExit()
	want := strings.Repeat("€𝄞ä\n", 300_000)[:3_000_000] + "\xff"
	if w.stdout.String() != want || w.stderr.String() != "\xf0\x9d" {
		t.Fatalf("%d bytes, %q", w.stdout.Len(), w.stderr.String())
	}
}

func TestSocketSignalsTheGroup(t *testing.T) {
	s := start(t)
	for name, want := range map[string]string{"TERM": "SIGTERM", "SIGINT": "SIGINT", "kill": "SIGKILL", "USR1": "SIGUSR1"} {
		w := s.socketWith(t)
		w.text(`{"type":"start","command":["sleep","600"]}`)
		w.expect("ready")
		w.text(`{"type":"signal","name":"` + name + `"}`)
		if exit := w.untilExit(); exit["signal"] != want || exit["exit_code"] != nil {
			t.Fatal(name, exit)
		}
	}
}

func TestSocketTimeout(t *testing.T) {
	s := start(t)
	for ms := 300; ; ms *= 2 {
		w := s.socketWith(t)
		w.text(fmt.Sprintf(`{"type":"start","command":"echo begun; sleep 600","timeout_ms":%d}`, ms))
		exit := w.untilExit()
		if exit["timed_out"] != true || exit["signal"] != "SIGKILL" {
			t.Fatal(exit)
		}
		if w.stdout.String() == "begun\n" {
			break
		}
		if ms > 10_000 || w.stdout.Len() > 0 { // a slow machine needs more time to begin
			t.Fatal(w.stdout.String())
		}
	}
}

func TestSocketBadFramesAreErrorsNotTheEnd(t *testing.T) {
	s := start(t)
	w := s.socketWith(t)
	refuse := func(frame string) {
		t.Helper()
		w.text(frame)
		if got := w.expect("error"); got["code"] == "" || got["message"] == "" || got["retryable"] != false {
			t.Fatal(got)
		}
	}
	always := []string{
		``, `{`, `[]`, `null`, `7`, `"start"`, `{}`, `{"type":7}`, `{"type":""}`, `{"type":"what"}`, `{"type":"stdin","data":7}`,
		`{"type":"stdin","data":"*","encoding":"base64"}`, `{"type":"stdin","data":"x","encoding":"hex"}`, `{"type":"stdin","more":1}`,
		`{"type":"ping","id":"` + strings.Repeat("x", 300) + `"}`, `{"type":"resize","cols":80,"rows":24}`, `{"type":"auth","token":"x"}`,
		`{"type":"signal","name":7}`, `{"type":"close","why":"x"}`, strings.Repeat("[", 20_000), "{\"type\":\"stdin\",\"data\":\"\xff\"}",
	}
	for _, frame := range always {
		refuse(frame)
	}
	refuse(`{"type":"stdin","data":"x"}`)
	refuse(`{"type":"signal","name":"TERM"}`)
	w.binary([]byte{0, 'x'})
	w.expect("error")
	w.text(`{"type":"start","command":["cat"]}`)
	w.expect("ready")
	for _, frame := range always {
		refuse(frame)
	}
	refuse(`{"type":"start","command":["cat"]}`)
	refuse(`{"type":"signal","name":"NOPE"}`)
	w.text(`{"type":"ping","id":{"n":1}}`)
	if pong := w.expect("pong"); fmt.Sprint(pong["id"]) != "map[n:1]" {
		t.Fatal(pong)
	}
	w.text(`{"type":"stdin","data":"still here","eof":true}`)
	w.untilExit()
	if w.stdout.String() != "still here" {
		t.Fatal(w.stdout.String())
	}
}

func TestSocketBadBinaryFrames(t *testing.T) {
	s := start(t)
	w := s.socketWith(t, "sandboxer.v1.binary")
	w.text(`{"type":"start","command":["cat"]}`)
	w.expect("ready")
	for _, frame := range [][]byte{{}, {1, 'x'}, {2}, {255, 'x'}} {
		w.binary(frame)
		w.expect("error")
	}
	w.binary([]byte{0})
	w.binary([]byte("\x00ok"))
	w.text(`{"type":"stdin","eof":true}`)
	w.untilExit()
	if w.stdout.String() != "ok" {
		t.Fatal(w.stdout.String())
	}
}

func TestSocketBadStartSaysWhy(t *testing.T) {
	s := start(t)
	for _, frame := range []string{
		`{"type":"start"}`, `{"type":"start","command":["no-such-program"]}`, `{"type":"start","command":"true","tty":{"cols":0,"rows":24}}`,
		`{"type":"start","command":"true","on_disconnect":"wait"}`, `{"type":"start","command":"true","process_id":"a/b"}`,
		`{"type":"start","command":"true","timeout_ms":0}`, `{"type":"start","command":"true","cwd":"missing"}`,
	} {
		w := s.socketWith(t)
		w.text(frame)
		if got := w.expect("error"); got["code"] != "VALIDATION" {
			t.Fatal(got)
		}
		w.untilClosed()
	}
}

func TestSocketTakesItsTokenAsFirstFrame(t *testing.T) {
	s := start(t)
	w := &socketClient{t: t, conn: s.connect(nil)}
	w.text(`{"type":"auth","token":"` + s.token("exec fs_read") + `"}`)
	if ok := w.expect("auth_ok"); fmt.Sprint(ok["capabilities"]) != "[exec fs_read]" {
		t.Fatal(ok)
	}
	w.text(`{"type":"start","command":"echo in"}`)
	w.untilExit()
	for frame, code := range map[string]string{
		`{"type":"auth","token":"x"}`:             "UNAUTHENTICATED",
		`{"type":"auth"}`:                         "UNAUTHENTICATED",
		`{"type":"start","command":"touch evil"}`: "UNAUTHENTICATED",
		`{`: "UNAUTHENTICATED",
		`{"type":"auth","token":"` + s.token("fs_read") + `"}`:    "CAPABILITY_DENIED",
		`{"type":"auth","token":"` + s.anything() + `","more":1}`: "UNAUTHENTICATED",
	} {
		w := &socketClient{t: t, conn: s.connect(nil)}
		w.text(frame)
		if got := w.expect("error"); got["code"] != code {
			t.Fatal(frame, got)
		}
		if closed := w.untilClosed(); closed != websocket.StatusPolicyViolation {
			t.Fatal(closed)
		}
	}
	if exists(s.in("evil")) {
		t.Fatal("a command ran without a token")
	}
	silent := &socketClient{t: t, conn: s.connect(nil)}
	silent.untilClosed() // after 5 s without a frame
}

func TestSocketRefusals(t *testing.T) {
	s := start(t)
	wantProblem(t, s.get("/v1/exec/ws"), http.StatusBadRequest, "VALIDATION")
	for _, c := range []struct {
		want   int
		header http.Header
	}{
		{401, http.Header{"Authorization": {"Bearer x"}}},
		{403, http.Header{"Authorization": {"Bearer " + s.token("fs_read")}}},
		{403, http.Header{"Authorization": {"Bearer " + s.anything()}, "Origin": {"http://evil.example"}}},
	} {
		_, response, err := websocket.Dial(t.Context(), "ws://box/v1/exec/ws", &websocket.DialOptions{HTTPClient: s.client, HTTPHeader: c.header})
		if err == nil || response == nil || response.StatusCode != c.want {
			t.Fatal(c.want, err)
		}
	}
}

func TestSocketThatIsCutKillsTheGroup(t *testing.T) {
	s := start(t)
	for name, leave := range map[string]func(*socketClient){
		"cut":         func(w *socketClient) { _ = w.conn.CloseNow() },
		"closed":      func(w *socketClient) { _ = w.conn.Close(websocket.StatusNormalClosure, "") },
		"close frame": func(w *socketClient) { w.text(`{"type":"close"}`) },
		"cut while its input is not read": func(w *socketClient) {
			var sent atomic.Int64
			go func() {
				for w.conn.Write(t.Context(), websocket.MessageText, []byte(`{"type":"stdin","data":"`+strings.Repeat("x", 100_000)+`"}`)) == nil {
					sent.Add(1)
				}
			}()
			quiet(func() int { return int(sent.Load()) })
			_ = w.conn.CloseNow()
		},
	} {
		t.Run(name, func(t *testing.T) {
			must(t, os.RemoveAll(s.in("pid")))
			w := s.socketWith(t)
			w.text(`{"type":"start","command":"sleep 600 & echo $! > pid; wait"}`)
			w.expect("ready")
			pid := s.pidIn("pid")
			leave(w)
			eventually(t, "the group is gone", func() bool { return !alive(pid) })
		})
	}
}
