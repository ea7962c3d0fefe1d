package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/coder/websocket"
)

// malformedFrames are what no client should send; none of them ends a connection.
var malformedFrames = []string{
	``, ` `, `{`, `}`, `[]`, `null`, `true`, `7`, `1e999`, `"start"`, `{}`, `{"type":7}`, `{"type":null}`, `{"type":[]}`, `{"type":""}`, `{"type":"what"}`,
	`{"type":"STDIN"}`, `{"type":"stdin","data":7}`, `{"type":"stdin","data":"*","encoding":"base64"}`, `{"type":"stdin","data":"x","encoding":"hex"}`,
	`{"type":"stdin","eof":"yes"}`, `{"type":"stdin","more":1}`, `{"type":"stdin"`, `{"type":"stdin"} {"type":"stdin"}`, `{"type":"resize"}`,
	`{"type":"resize","cols":80}`, `{"type":"resize","cols":-1,"rows":24}`, `{"type":"resize","cols":1e9,"rows":24}`, `{"type":"resize","cols":"80","rows":24}`,
	`{"type":"resize","cols":80,"rows":24,"depth":1}`, `{"type":"signal"}`, `{"type":"signal","name":""}`, `{"type":"signal","name":7}`, `{"type":"signal","name":"NOTHING"}`,
	`{"type":"signal","name":"9"}`, `{"type":"auth"}`, `{"type":"auth","token":""}`, `{"type":"auth","token":"x.y.z"}`, `{"type":"auth","token":7}`,
	`{"type":"ping","id":"` + strings.Repeat("x", 300) + `"}`, `{"type":"ping","what":1}`, `{"type":"close","why":"x"}`, `{"type":"start","command":["cat"]}`,
	`{"type":"start"}`, `{"type":"start","command":7}`, strings.Repeat("[", 20_000), strings.Repeat(`{"a":`, 20_000), "{\"type\":\"stdin\",\"data\":\"\xff\"}", "\xff\xfe", "\x00",
	`{"type":"stdin","data":"` + strings.Repeat("x", 1<<20) + `"}`, `{"type":"stdin","type":"what"}`,
}

func TestFiftyMalformedFramesAreErrorsAndNothingElse(t *testing.T) {
	s := startReal(t, nil)
	if len(malformedFrames) < 50 {
		t.Fatal(len(malformedFrames))
	}
	s.awaitNoClient()
	before := s.descriptors()
	s.manage(settings{"process_id": "managed", "command": []string{"cat"}, "stdin": "open"})
	for path, begin := range map[string]string{
		"/v1/exec/ws":                  `{"type":"start","command":["cat"]}`,
		"/v1/shell/ws":                 `{"type":"start","command":["cat"]}`,
		"/v1/processes/managed/attach": "",
		"/v1/exec/ws?which=kept":       `{"type":"start","command":["cat"],"on_disconnect":"keep","process_id":"kept"}`,
	} {
		w := s.at(t, path)
		if begin != "" {
			w.text(begin)
		}
		w.expect("ready")
		for _, frame := range malformedFrames {
			w.text(frame)
			refused := w.next()
			if refused["type"] != "error" || refused["code"] == "INTERNAL" || refused["message"] == "" {
				t.Fatalf("%s: %.100q: %v", path, frame, refused)
			}
		}
		for range 20 {
			w.binary([]byte{0, 'x'})
			w.expect("error")
		}
		w.keys("still here\n")
		w.until("still here")
		_ = w.conn.CloseNow()
	}
	s.stayedSmall()
	s.end("managed")
	s.end("kept")
	s.awaitNoClient()
	eventually(t, "nothing of them is open", func() bool { return s.descriptors() <= before })
	if goroutines := s.goroutines(); goroutines > 30 {
		t.Fatalf("%d goroutines", goroutines)
	}
}

// Bytes that are no frames at all end the connection, and no other.
func TestBrokenFramingEndsOnlyItsConnection(t *testing.T) {
	s := start(t)
	s.awaitNoClient()
	before := s.descriptors()
	handshake := "GET /v1/exec/ws HTTP/1.1\r\nHost: box\r\nAuthorization: Bearer " + s.anything() +
		"\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
	for name, raw := range map[string]string{
		"not masked":          "\x81\x02{}",
		"reserved bits":       "\xf1\x82\x00\x00\x00\x00{}",
		"unknown opcode":      "\x83\x80\x00\x00\x00\x00",
		"negative length":     "\x82\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00",
		"long ping":           "\x89\xfe\x01\x00\x00\x00\x00\x00" + strings.Repeat("x", 256),
		"split ping":          "\x09\x80\x00\x00\x00\x00",
		"continuation first":  "\x80\x80\x00\x00\x00\x00",
		"two first parts":     "\x01\x80\x00\x00\x00\x00\x01\x80\x00\x00\x00\x00",
		"close of one byte":   "\x88\x81\x00\x00\x00\x00\x03",
		"close with bad code": "\x88\x82\x00\x00\x00\x00\x00\x01",
		"HTTP":                "GET / HTTP/1.1\r\n\r\n",
	} {
		conn, err := s.dial(t.Context(), "", "")
		must(t, err)
		_, _ = io.WriteString(conn, handshake)
		reader := bufio.NewReader(conn)
		response, err := http.ReadResponse(reader, nil)
		must(t, err)
		if response.StatusCode != http.StatusSwitchingProtocols {
			t.Fatal(response.StatusCode)
		}
		_, _ = io.WriteString(conn, raw)
		_, _ = io.Copy(io.Discard, reader) // to the end that boxd makes
		_ = conn.Close()
		if got := s.sh("echo on"); got.Stdout != "on\n" {
			t.Fatal(name)
		}
	}
	s.awaitNoClient()
	eventually(t, "no descriptor is left", func() bool { return s.descriptors() <= before+1 })
}

func TestFiftyMalformedRequestsAreErrorsAndNothingElse(t *testing.T) {
	s := startReal(t, nil)
	s.manage(settings{"process_id": "p", "command": []string{"sleep", "600"}})
	bodies := []string{
		"", "{", "null", "7", `"x"`, "[]", `{"a":1}`, "\xff", strings.Repeat("[", 50_000), `{"command":` + strings.Repeat(`[`, 5000), `{"path":7}`, `{"path":""}`, `{"path":"a\u0000b"}`, `{"name":7}`,
	}
	posts := []string{
		"exec", "processes", "processes/p/signal", "processes/p/stdin", "processes/none/stdin", "files/mkdir", "files/move", "files/remove", "files/chmod",
		"control/configure", "control/revoke", "control/keys", "control/deadline", "control/shutdown",
	}
	count := 0
	check := func(got answer, what string) {
		count++
		if code := got.problem(t); got.status < 400 || got.status > 499 || code == "INTERNAL" {
			t.Errorf("%s: %d %.200s", what, got.status, got.body)
		}
	}
	for _, path := range posts {
		for _, body := range bodies {
			check(s.post("/v1/"+path, body), path+" "+body)
		}
	}
	for _, path := range []string{
		"files/download", "files/download?path=%00", "files/list?cursor=*", "files/list?depth=x", "files/stat", "files/search", "files/search?grep=[", "files/watch?recursive=x",
		"files/watch?path=none", "processes/none", "processes/%00", "processes/p/output?offset=9e9", "ports/0/", "ports/x/y", "exec/ws", "shell/ws", "processes/p/attach", "none", "", "%2e%2e/",
	} {
		check(s.get("/v1/"+path), path)
	}
	if count < 150 {
		t.Fatal(count)
	}
	s.client.CloseIdleConnections()
	if got := s.sh("echo on"); got.Stdout != "on\n" {
		t.Fatal("boxd does not work any more")
	}
	s.stayedSmall()
	s.awaitNoClient()
	if goroutines := s.goroutines(); goroutines > 30 {
		t.Fatalf("%d goroutines", goroutines)
	}
}

func TestTooLargeARequestHeadIsToldSo(t *testing.T) {
	s := start(t)
	request := s.request("GET", "/v1/health", "")
	request.Header.Set("X-Long", strings.Repeat("x", 20_000))
	got := s.do(request)
	wantProblem(t, got, http.StatusRequestHeaderFieldsTooLarge, "HEADERS_TOO_LARGE")
	if !strings.Contains(string(got.body), "limits.header_bytes") {
		t.Fatalf("%s", got.body)
	}
}

// Text that is cut anywhere, by whoever writes it piece by piece, arrives whole in every frame.
func TestTextThatIsCutAtEveryByteArrivesWhole(t *testing.T) {
	s := start(t)
	const text = "aä€𝄞\x00z\n"
	must(t, os.WriteFile(s.in("text"), []byte(text), 0o644))
	for _, mode := range []string{"kill", "keep"} {
		for cut := range len(text) + 1 {
			w := s.socketWith(t)
			w.text(fmt.Sprintf(`{"type":"start","on_disconnect":%q,"command":"head -c %d text; read go; tail -c +%d text"}`, mode, cut, cut+1))
			w.expect("ready")
			w.keys("\n")
			for {
				frame := w.next()
				if frame["type"] == "exit" {
					break
				}
			}
			if w.stdout.String() != text {
				t.Fatalf("cut at %d: %q", cut, w.stdout.String())
			}
			for _, frame := range w.frames {
				if frame["encoding"] != nil {
					t.Fatalf("cut at %d: text came as %v", cut, frame)
				}
			}
		}
	}
	w := s.socketWith(t)
	w.text(`{"type":"start","command":"printf 'a\\377\\000b'"}`)
	w.untilExit()
	if w.stdout.String() != "a\xff\x00b" || w.frames[1]["encoding"] != "base64" {
		t.Fatalf("%q %v", w.stdout.String(), w.frames)
	}
}

// Connections that send nothing, or trickle, take a place each and nothing more; the rest is answered.
func TestSlowClientsHoldNobodyUp(t *testing.T) {
	s := startReal(t, nil)
	token := s.anything()
	var slow []net.Conn
	for _, begun := range []string{
		"", "GET /v1/health HTTP/1.1\r\nHo", "POST /v1/exec HTTP/1.1\r\nHost: box\r\nContent-Type: application/json\r\nContent-Length: 100\r\nAuthorization: Bearer " + token + "\r\n\r\n{",
		"POST /v1/files/upload?path=slow HTTP/1.1\r\nHost: box\r\nContent-Length: 100\r\nAuthorization: Bearer " + token + "\r\n\r\nx",
	} {
		for range 40 {
			conn, err := s.dial(t.Context(), "", "")
			must(t, err)
			_, _ = io.WriteString(conn, begun)
			slow = append(slow, conn)
		}
	}
	for range 20 {
		if got := s.sh("echo on"); got.Stdout != "on\n" {
			t.Fatal(got)
		}
	}
	for _, conn := range slow {
		_ = conn.Close()
	}
	eventually(t, "what they began is gone", func() bool { return len(s.leftovers()) == 0 })
	s.stayedSmall()
}

// The same for readers: a thousand idle WebSockets and those that never read cost little.
func TestIdleAndDeafWebSocketsAreCheap(t *testing.T) {
	s := startReal(t, settings{"limits": settings{"connections": 2000, "processes": 50}})
	for range 500 {
		s.connect(s.bearer())
	}
	for range 40 {
		conn := s.connect(s.bearer(), "sandboxer.v1.binary")
		must(t, conn.Write(t.Context(), websocket.MessageText, []byte(`{"type":"start","command":["cat","/dev/zero"]}`)))
	}
	if got := s.sh("echo on"); got.Stdout != "on\n" {
		t.Fatal(got)
	}
	s.stayedSmall()
}
