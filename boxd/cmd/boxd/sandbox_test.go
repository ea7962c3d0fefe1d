package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	rand2 "math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/golang-jwt/jwt/v5"
)

const (
	runAsBoxd = "BOXD_TEST_RUN"
	transport = "BOXD_TEST_TRANSPORT" // unix (if empty), tcp or tls: what all tests connect by
	sandboxID = "sb_abcdefghij0123456789"
	issuer    = "urn:sandboxer:11111111-2222-3333-4444-555555555555"
)

// The test binary is boxd as well, so that every test talks to a real daemon, with the race detector in it.
func TestMain(m *testing.M) {
	if os.Getenv(runAsMCP) != "" { // in a sandbox, which has the other variable from its image
		serveMCP()
		return
	}
	if os.Getenv(runAsBoxd) != "" {
		os.Exit(run(os.Args[1:]))
	}
	code := m.Run()
	if builtIn != "" {
		_ = os.RemoveAll(builtIn)
	}
	os.Exit(code)
}

// sandbox is a running boxd with its signing key.
type sandbox struct {
	t         *testing.T
	key       *ecdsa.PrivateKey
	client    *http.Client
	via       string
	address   string // where it listens on TCP
	socket    string
	workspace string
	command   *exec.Cmd
	stderr    *bytes.Buffer
	ended     chan error
}

type settings map[string]any

func startUnconfigured(t *testing.T, change settings) *sandbox {
	t.Helper()
	s := prepare(t)
	s.launch(change)
	return s
}

// startUnprivileged runs boxd as an ordinary user, also where the tests run as root.
func startUnprivileged(t *testing.T) *sandbox {
	t.Helper()
	s := prepare(t)
	if os.Geteuid() == 0 {
		const nobody = 65534
		s.command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		folder := filepath.Dir(s.socket)
		for _, path := range []string{folder, s.workspace} {
			must(t, os.Chown(path, nobody, nobody))
		}
		program, err := os.ReadFile(os.Args[0])
		must(t, err)
		s.command.Path = filepath.Join(folder, "boxd")
		must(t, os.WriteFile(s.command.Path, program, 0o755))
	}
	s.launch(nil)
	s.configure(`{}`)
	return s
}

func prepare(t *testing.T) *sandbox {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	folder, err := os.MkdirTemp("", "bx")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	s := &sandbox{t: t, key: key, via: os.Getenv(transport), address: fmt.Sprintf("127.%d.%d.%d:7070", rand2.IntN(256), rand2.IntN(256), 1+rand2.IntN(254)), socket: filepath.Join(folder, "s"), workspace: filepath.Join(folder, "w"), stderr: &bytes.Buffer{}, ended: make(chan error, 1)}
	must(t, os.Mkdir(s.workspace, 0o755))
	s.command = exec.Command(os.Args[0], "serve", "--config", filepath.Join(folder, "config.json"), "--listen", "unix:"+s.socket, "--seccomp=off")
	s.command.Env = []string{runAsBoxd + "=1", "GORACE=atexit_sleep_ms=0", "PATH=" + os.Getenv("PATH"), "SECRET_OF_THE_IMAGE=1"}
	s.command.Stderr = s.stderr
	s.listenBy(s.via)
	return s
}

func (s *sandbox) launch(change settings) {
	s.t.Helper()
	s.begin(change)
	eventually(s.t, "boxd listens", func() bool {
		response, err := s.client.Get("http://box/v1/health")
		if err == nil {
			_ = response.Body.Close()
		}
		return err == nil
	})
}

func (s *sandbox) begin(change settings) {
	t := s.t
	t.Helper()
	must(t, os.WriteFile(filepath.Join(filepath.Dir(s.socket), "config.json"), s.config(change), 0o644))
	must(t, s.command.Start())
	go func() { s.ended <- s.command.Wait() }()
	t.Cleanup(s.stop)
	s.client = &http.Client{Transport: &http.Transport{DialContext: s.dial}}
}

func start(t *testing.T) *sandbox {
	t.Helper()
	s := startUnconfigured(t, nil)
	s.configure(`{"env":{}}`)
	return s
}

func (s *sandbox) configure(body string) {
	s.t.Helper()
	if answer := s.post("/v1/control/configure", body); answer.status != http.StatusNoContent {
		s.t.Fatalf("configure: %d %s", answer.status, answer.body)
	}
}

func (s *sandbox) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	switch s.via {
	case "tcp":
		return (&net.Dialer{}).DialContext(ctx, "tcp", s.address)
	case "tls":
		return (&tls.Dialer{Config: pinned(tls.VersionTLS13)}).DialContext(ctx, "tcp", s.address)
	}
	return (&net.Dialer{}).DialContext(ctx, "unix", s.socket)
}

func (s *sandbox) config(change settings) []byte {
	point, err := s.key.PublicKey.Bytes()
	must(s.t, err)
	config := settings{
		"installation": "11111111-2222-3333-4444-555555555555", "sandbox_id": sandboxID, "generation": 3, "issuer": issuer,
		"keys": settings{"keys": []settings{{
			"kty": "EC", "crv": "P-256", "kid": "k1", "use": "sig", "alg": "ES256",
			"x": base64.RawURLEncoding.EncodeToString(point[1:33]), "y": base64.RawURLEncoding.EncodeToString(point[33:]),
		}}},
		"deadline_seconds": 600, "workspace": s.workspace, "home": s.workspace, "tmp": "/tmp",
	}
	if s.via == "tls" {
		config["tls"] = settings{"certificate": made().certificate, "key": made().key}
	}
	maps.Copy(config, change)
	raw, err := json.Marshal(config)
	must(s.t, err)
	return raw
}

// stop ends boxd hard; tests of its end wait on ended themselves.
func (s *sandbox) stop() {
	_ = s.command.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.ended:
	case <-time.After(20 * time.Second):
		_ = s.command.Process.Kill()
		s.t.Error("boxd did not end on SIGTERM")
	}
	s.ended <- nil
	if strings.Contains(s.stderr.String(), "DATA RACE") || strings.Contains(s.stderr.String(), "panic") {
		s.t.Errorf("boxd's log:\n%s", s.stderr)
	}
}

func (s *sandbox) claims(scope string) jwt.MapClaims {
	now := time.Now().Unix()
	return jwt.MapClaims{
		"iss": issuer, "aud": "urn:sandboxer:boxd:" + sandboxID, "sub": "relay", "gen": 3, "epoch": 0,
		"scope": scope, "jti": rand.Text(), "iat": now, "nbf": now, "exp": now + 60,
	}
}

func (s *sandbox) sign(claims jwt.Claims) string {
	s.t.Helper()
	token := jwt.NewWithClaims(jwt.SigningMethodES256, claims)
	token.Header["typ"] = "at+jwt"
	token.Header["kid"] = "k1"
	signed, err := token.SignedString(s.key)
	must(s.t, err)
	return signed
}

func (s *sandbox) token(scope string) string { return s.sign(s.claims(scope)) }

func (s *sandbox) anything() string { return s.token("exec shell fs_read fs_write process port admin") }

type answer struct {
	status int
	header http.Header
	body   []byte
}

// problem is the error's code, after checking the shape of the whole body.
func (a answer) problem(t *testing.T) string {
	t.Helper()
	var body struct {
		Type, Title, Detail string
		Status              int
		Error               struct {
			Code, Message string
			Retryable     *bool
			RequestID     string `json:"request_id"`
		}
	}
	if err := json.Unmarshal(a.body, &body); err != nil || a.header.Get("Content-Type") != "application/problem+json" {
		t.Fatalf("not a problem: %d %s %s", a.status, a.header, a.body)
	}
	if body.Status != a.status || body.Type == "" || body.Title == "" || body.Detail == "" || body.Error.Message == "" ||
		body.Error.Retryable == nil || body.Error.RequestID != a.header.Get("X-Request-Id") {
		t.Fatalf("a malformed problem: %s", a.body)
	}
	return body.Error.Code
}

func (s *sandbox) do(request *http.Request) answer {
	s.t.Helper()
	if _, set := request.Header["Authorization"]; !set {
		request.Header.Set("Authorization", "Bearer "+s.anything())
	}
	response, err := s.client.Do(request)
	must(s.t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	must(s.t, err)
	return answer{response.StatusCode, response.Header, body}
}

func (s *sandbox) request(method, path, body string) *http.Request {
	s.t.Helper()
	request, err := http.NewRequest(method, "http://box"+path, strings.NewReader(body))
	must(s.t, err)
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/json")
	}
	return request
}

func (s *sandbox) post(path, body string) answer {
	s.t.Helper()
	return s.do(s.request(http.MethodPost, path, body))
}

func (s *sandbox) get(path string) answer {
	s.t.Helper()
	return s.do(s.request(http.MethodGet, path, ""))
}

type execReply struct {
	ExitCode        *int    `json:"exit_code"`
	Signal          *string `json:"signal"`
	Stdout          string  `json:"stdout"`
	Stderr          string  `json:"stderr"`
	StdoutEncoding  string  `json:"stdout_encoding"`
	StderrEncoding  string  `json:"stderr_encoding"`
	StdoutTruncated bool    `json:"stdout_truncated"`
	StderrTruncated bool    `json:"stderr_truncated"`
	DurationMS      *int64  `json:"duration_ms"`
	TimedOut        bool    `json:"timed_out"`
}

func (s *sandbox) exec(request settings) execReply {
	s.t.Helper()
	raw, err := json.Marshal(request)
	must(s.t, err)
	answer := s.post("/v1/exec", string(raw))
	var reply execReply
	if answer.status != http.StatusOK {
		s.t.Fatalf("exec %v: %d %s", request, answer.status, answer.body)
	}
	must(s.t, json.Unmarshal(answer.body, &reply))
	return reply
}

func (s *sandbox) sh(line string) execReply {
	s.t.Helper()
	return s.exec(settings{"command": line})
}

// connect opens the exec WebSocket; header may be nil for one without a token.
func (s *sandbox) connect(header http.Header, protocols ...string) *websocket.Conn {
	s.t.Helper()
	return s.connectTo("/v1/exec/ws", header, protocols...)
}

func (s *sandbox) connectTo(path string, header http.Header, protocols ...string) *websocket.Conn {
	s.t.Helper()
	conn, _, err := websocket.Dial(s.t.Context(), "ws://box"+path, &websocket.DialOptions{
		HTTPClient: s.client, HTTPHeader: header, Subprotocols: protocols,
	})
	must(s.t, err)
	conn.SetReadLimit(1 << 20)
	s.t.Cleanup(func() { _ = conn.CloseNow() })
	return conn
}

func (s *sandbox) bearer() http.Header {
	return http.Header{"Authorization": {"Bearer " + s.anything()}}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(60 * time.Second); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not so after 60 s: %s", what)
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, os.ErrNotExist)
}
