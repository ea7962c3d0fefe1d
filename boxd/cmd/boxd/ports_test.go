package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/coder/websocket"
)

// inside is a program that listens on loopback, as one in the sandbox would.
func inside(t *testing.T, handle http.HandlerFunc) (port int) {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	return server.Listener.Addr().(*net.TCPAddr).Port
}

func TestPortsThatListenAreListed(t *testing.T) {
	s := start(t)
	port := inside(t, func(http.ResponseWriter, *http.Request) {})
	six, err := net.Listen("tcp6", "[::1]:0")
	must(t, err)
	defer six.Close()
	var list struct {
		Items []struct {
			Port    int
			Address string
		}
	}
	must(t, json.Unmarshal(s.get("/v1/ports").body, &list))
	found := map[int]string{}
	for _, item := range list.Items {
		found[item.Port] = item.Address
	}
	if found[port] != "127.0.0.1" || found[six.Addr().(*net.TCPAddr).Port] != "::1" {
		t.Fatal(list)
	}
}

// Ports of other machines in the sandbox's network, by numbers of their own.
func TestPortsOfOthersAreReached(t *testing.T) {
	port := inside(t, func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte(r.RequestURI + " " + r.Host)) })
	free, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	nobody := free.Addr().String()
	must(t, free.Close())
	s := prepare(t)
	s.command.Args = append(s.command.Args, "--port", fmt.Sprintf("81=localhost:%d", port), "--port", "82="+nobody)
	s.launch(nil)
	s.configure(`{}`)
	if got := s.get("/v1/ports/81/a?b"); string(got.body) != "/a?b localhost:81" {
		t.Fatal(got.status, string(got.body))
	}
	if got := s.get("/v1/ports/82/"); got.status != http.StatusBadGateway || !strings.Contains(string(got.body), "port 82 is "+nobody) {
		t.Fatal(got.status, string(got.body))
	}
	if got := string(s.get("/v1/ports").body); !strings.Contains(got, fmt.Sprintf(`{"port":81,"address":"localhost:%d"}`, port)) {
		t.Fatal(got)
	}
}

func TestPortRequestsArePassedOnAsTheyAre(t *testing.T) {
	s := start(t)
	port := inside(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Seen", fmt.Sprintf("%s %s|%s|%v|%v|%v|%v", r.Method, r.RequestURI, r.Host, r.Header["Authorization"], r.Header["Keep-Alive"], r.Header["X-Mine"], r.Header["X-Forwarded-Host"]))
		w.Header().Set("Connection", "X-Hop")
		w.Header().Set("X-Hop", "1")
		w.Header().Set("Set-Cookie", "a=b")
		w.WriteHeader(http.StatusTeapot)
		_, _ = w.Write(append([]byte("got "), body...))
	})
	base := fmt.Sprintf("/v1/ports/%d", port)
	for path, seen := range map[string]string{"/": "/", "/a%2Fb/../c//d?x=%zz;y": "/a%2Fb/../c//d?x=%zz;y", "/tcp": "/tcp"} {
		request := s.request("PUT", "/", "body")
		request.URL.Opaque = "http://box" + base + path
		for name, value := range map[string]string{"X-Mine": "1", "Keep-Alive": "5", "Connection": "keep-alive, X-Secret", "X-Secret": "s", "X-Forwarded-Host": "outer"} {
			request.Header.Set(name, value)
		}
		got := s.do(request)
		want := fmt.Sprintf("PUT %s|localhost:%d|[]|[]|[1]|[outer]", seen, port)
		if got.status != http.StatusTeapot || string(got.body) != "got body" || got.header.Get("X-Seen") != want || got.header.Get("X-Hop") != "" || got.header.Get("Set-Cookie") != "a=b" {
			t.Errorf("%s: %d %s %q %v", path, got.status, got.header.Get("X-Seen"), got.body, got.header)
		}
	}
	if head := s.do(s.request("HEAD", base+"/x", "")); head.status != http.StatusTeapot || len(head.body) != 0 {
		t.Fatal(head.status)
	}
}

func TestPortAnswersStream(t *testing.T) {
	s := start(t)
	next := make(chan struct{})
	port := inside(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("first\n"))
		_ = http.NewResponseController(w).Flush()
		<-next
		_, _ = w.Write([]byte("second\n"))
	})
	request := s.request("GET", fmt.Sprintf("/v1/ports/%d/", port), "")
	request.Header.Set("Authorization", "Bearer "+s.anything())
	response, err := s.client.Do(request)
	must(t, err)
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	lines.Scan()
	close(next)
	if first := lines.Text(); first != "first" || !lines.Scan() || lines.Text() != "second" {
		t.Fatal(first, lines.Text())
	}
}

func TestPortWebSocketsArePassedOn(t *testing.T) {
	s := start(t)
	port := inside(t, func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer conn.CloseNow()
		for {
			kind, raw, err := conn.Read(r.Context())
			if err != nil {
				return
			}
			_ = conn.Write(r.Context(), kind, bytes.ToUpper(raw))
		}
	})
	conn := s.connectTo(fmt.Sprintf("/v1/ports/%d/socket?x", port), s.bearer())
	must(t, conn.Write(t.Context(), websocket.MessageText, []byte("echo")))
	if _, raw, err := conn.Read(t.Context()); err != nil || string(raw) != "ECHO" {
		t.Fatal(err, string(raw))
	}
}

func TestPortRefusals(t *testing.T) {
	s := start(t)
	free, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	closed := free.Addr().(*net.TCPAddr).Port
	_ = free.Close()
	wantProblem(t, s.get(fmt.Sprintf("/v1/ports/%d/", closed)), 502, "PORT_UNREACHABLE")
	for _, port := range []string{"0", "65536", "-1", "x", "080", "%38080", "8080x"} {
		wantProblem(t, s.get("/v1/ports/"+port+"/"), 400, "VALIDATION")
	}
	wantProblem(t, s.get("/v1/ports/80"), 404, "NOT_FOUND")
	request := s.request("GET", "/v1/ports/80/", "")
	request.Header.Set("Authorization", "Bearer "+s.token("exec fs_read"))
	wantProblem(t, s.do(request), 403, "CAPABILITY_DENIED")
	request = s.request("GET", "/v1/ports/80/", "")
	request.Header["Authorization"] = nil
	wantProblem(t, s.do(request), 401, "UNAUTHENTICATED")
	port := inside(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(200) })
	upgrade := s.request("GET", fmt.Sprintf("/v1/ports/%d/", port), "")
	upgrade.Header.Set("Upgrade", "h2c")
	upgrade.Header.Set("Connection", "Upgrade, HTTP2-Settings")
	upgrade.Header.Set("HTTP2-Settings", "AAMAAABkAAQAAP__")
	wantProblem(t, s.do(upgrade), 400, "VALIDATION")
	token := s.anything()
	for _, raw := range []string{
		fmt.Sprintf("CONNECT localhost:%d HTTP/1.1\r\nHost: box\r\nAuthorization: Bearer %s\r\n\r\n", port, token),
		fmt.Sprintf("CONNECT /v1/ports/%d/ HTTP/1.1\r\nHost: box\r\nAuthorization: Bearer %s\r\n\r\n", port, token),
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
	} {
		conn, err := s.dial(t.Context(), "", "")
		must(t, err)
		_, _ = io.WriteString(conn, raw)
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err == nil && response.StatusCode < 400 {
			t.Errorf("%q: %d", raw, response.StatusCode)
		}
		_ = conn.Close()
	}
}

// Whatever listens inside may be hostile: its answers end as errors or are passed on within bounds.
func TestPortProgramsThatAreNoHTTPServers(t *testing.T) {
	s := startReal(t, nil)
	for name, answer := range map[string]string{
		"nothing":        "",
		"noise":          "\x00\x01\x02\r\n\r\n",
		"endless head":   "HTTP/1.1 200 OK\r\n" + strings.Repeat("X: y\r\n", 200_000),
		"two lengths":    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
		"unasked switch": "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
		"many 1xx":       strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n", 100_000),
	} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		must(t, err)
		go func() {
			for {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				go func() {
					_, _ = io.WriteString(conn, answer)
					_ = conn.Close()
				}()
			}
		}()
		got := s.get(fmt.Sprintf("/v1/ports/%d/", listener.Addr().(*net.TCPAddr).Port))
		if code := got.problem(t); got.status != 502 || code != "PORT_UNREACHABLE" {
			t.Errorf("%s: %d %.200s", name, got.status, got.body)
		}
		_ = listener.Close()
	}
	s.stayedSmall()
}

func (s *sandbox) raw(t *testing.T, port int) *websocket.Conn {
	t.Helper()
	return s.connectTo(fmt.Sprintf("/v1/ports/%d/tcp", port), s.bearer())
}

func TestPortRawStreamIsExactAndHalfCloses(t *testing.T) {
	s := startReal(t, nil)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer listener.Close()
	sums := make(chan string, 1)
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		sums <- hashOf(conn) // to the client's end
		_, _ = io.Copy(conn, noise(5))
	}()
	conn := s.raw(t, listener.Addr().(*net.TCPAddr).Port)
	piece := make([]byte, 128<<10)
	for from := noise(4); ; {
		n, err := io.ReadFull(from, piece)
		must(t, conn.Write(t.Context(), websocket.MessageBinary, piece[:n]))
		if err != nil {
			break
		}
	}
	must(t, conn.Write(t.Context(), websocket.MessageText, []byte(`{"type":"eof"}`)))
	if got := <-sums; got != hashOf(noise(4)) {
		t.Fatal("other bytes arrived")
	}
	sum := sha256.New()
	for {
		kind, raw, err := conn.Read(t.Context())
		must(t, err)
		if kind == websocket.MessageText {
			if string(raw) != `{"type":"eof"}` {
				t.Fatalf("%s", raw)
			}
			break
		}
		sum.Write(raw)
	}
	if fmt.Sprintf("%x", sum.Sum(nil)) != hashOf(noise(5)) {
		t.Fatal("other bytes came back")
	}
	if _, _, err := conn.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusNormalClosure {
		t.Fatal(err)
	}
	s.stayedSmall()
}

func TestPortRawStreamEndsWithEitherSide(t *testing.T) {
	s := start(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer listener.Close()
	port := listener.Addr().(*net.TCPAddr).Port
	client := s.raw(t, port)
	program, err := listener.Accept()
	must(t, err)
	must(t, client.Write(t.Context(), websocket.MessageText, []byte(`nonsense`)))
	if _, raw, err := client.Read(t.Context()); err != nil || !strings.Contains(string(raw), "VALIDATION") {
		t.Fatal(err, string(raw))
	}
	_ = client.CloseNow()
	if _, err := program.Read(make([]byte, 1)); err == nil {
		t.Fatal("the program was not told")
	}
	auth := s.connectTo(fmt.Sprintf("/v1/ports/%d/tcp", port), nil)
	must(t, auth.Write(t.Context(), websocket.MessageText, []byte(`{"type":"auth","token":"`+s.token("port")+`"}`)))
	if _, raw, err := auth.Read(t.Context()); err != nil || !strings.Contains(string(raw), "auth_ok") {
		t.Fatal(err, string(raw))
	}
	program, err = listener.Accept()
	must(t, err)
	must(t, auth.Write(t.Context(), websocket.MessageBinary, []byte("x")))
	_, err = program.Read(make([]byte, 1))
	must(t, err)
	_ = program.(*net.TCPConn).SetLinger(0)
	_ = program.Close()
	if _, raw, err := auth.Read(t.Context()); err == nil {
		t.Fatalf("the client was told %s", raw)
	}
	_ = listener.Close()
	refused := s.raw(t, port)
	if _, raw, err := refused.Read(t.Context()); err != nil || !strings.Contains(string(raw), "PORT_UNREACHABLE") {
		t.Fatal(err, string(raw))
	}
}

func TestBoxdsOwnPortIsNotReached(t *testing.T) {
	t.Setenv(transport, "") // it connects by TCP itself, plainly
	s := startUnconfigured(t, nil)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	port := listener.Addr().(*net.TCPAddr).Port
	file, err := listener.(*net.TCPListener).File()
	must(t, err)
	second := exec.Command(os.Args[0], "serve", "--config", s.command.Args[3], "--listen", "fd:3", "--seccomp=off")
	second.Env = s.command.Env
	second.ExtraFiles = []*os.File{file}
	must(t, second.Start())
	defer func() {
		_ = second.Process.Kill()
		_ = second.Wait()
	}()
	_, _ = file.Close(), listener.Close()
	s.client = &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "tcp", fmt.Sprint("127.0.0.1:", port))
	}}}
	s.configure(`{}`)
	wantProblem(t, s.get(fmt.Sprintf("/v1/ports/%d/v1/health", port)), 403, "FORBIDDEN")
	if got := s.get("/v1/ports"); strings.Contains(string(got.body), fmt.Sprint(port)) {
		t.Fatalf("%s", got.body)
	}
}
