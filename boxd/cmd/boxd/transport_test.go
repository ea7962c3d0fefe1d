package main

import (
	"bufio"
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"
)

type pair struct{ certificate, key string }

// made is the pair of every boxd here that speaks TLS.
var made = sync.OnceValue(newPair)

func newPair() pair {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	certificate, err := x509.CreateCertificate(nil, template, template, public, private)
	if err != nil {
		panic(err)
	}
	key, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		panic(err)
	}
	text := func(kind string, der []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
	}
	return pair{text("CERTIFICATE", certificate), text("PRIVATE KEY", key)}
}

// pinned trusts the key of made alone, as the platform does.
func pinned(highest uint16) *tls.Config {
	block, _ := pem.Decode([]byte(made().certificate))
	want, err := x509.ParseCertificate(block.Bytes)
	return &tls.Config{
		MaxVersion: highest, InsecureSkipVerify: true, // the pin below is what counts
		VerifyConnection: func(state tls.ConnectionState) error {
			if err != nil || !bytes.Equal(state.PeerCertificates[0].RawSubjectPublicKeyInfo, want.RawSubjectPublicKeyInfo) {
				return errors.New("another key")
			}
			return nil
		},
	}
}

// listenBy has the command listen on TCP, unless via is the Unix socket that it would listen on anyway.
func (s *sandbox) listenBy(via string) {
	s.via = via
	if via != "" && via != "unix" {
		s.listenOn("tcp:" + s.address)
	}
}

func (s *sandbox) listenOn(address string) {
	for i, word := range s.command.Args {
		if word == "--listen" {
			s.command.Args[i+1] = address
		}
	}
}

func startVia(t *testing.T, via string, change settings) *sandbox {
	t.Helper()
	t.Setenv(transport, via)
	s := startUnconfigured(t, change)
	s.configure(`{"env":{}}`)
	return s
}

// eachTransport runs a test over TCP and TLS; the whole suite runs over one of them by BOXD_TEST_TRANSPORT.
func eachTransport(t *testing.T, test func(t *testing.T, via string)) {
	for _, via := range []string{"tcp", "tls"} {
		t.Run(via, func(t *testing.T) { test(t, via) })
	}
}

func TestTransportCarriesRequestsAndFiles(t *testing.T) {
	eachTransport(t, func(t *testing.T, via string) {
		s := startVia(t, via, nil)
		if got := s.sh("echo over " + via); got.Stdout != "over "+via+"\n" {
			t.Fatalf("%+v", got)
		}
		content := make([]byte, 5<<20)
		_, _ = rand.Read(content)
		if got := s.upload("path=f", string(content)); got.status != 201 {
			t.Fatalf("%d %s", got.status, got.body)
		}
		if got := s.download("path=f"); !bytes.Equal(got.body, content) {
			t.Fatalf("%d bytes came back, or others", len(got.body))
		}
		without := s.request(http.MethodPost, "/v1/exec", `{"command":"true"}`)
		without.Header.Set("Authorization", "")
		wantProblem(t, s.do(without), 401, "UNAUTHENTICATED")
	})
}

func TestTransportHoldsACommandBackWhoseReaderIsSlow(t *testing.T) {
	eachTransport(t, func(t *testing.T, via string) {
		s := startVia(t, via, nil)
		w := s.socketWith(t, "sandboxer.v1.binary")
		w.text(`{"type":"start","command":"head -c 50000000 /dev/zero; touch written"}`)
		w.expect("ready")
		eventually(t, "the command is held back", s.waitsToWrite)
		if exists(s.in("written")) {
			t.Fatal("50 MB are somewhere, and nobody has read them")
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
		if total != 50_000_000 {
			t.Fatalf("%d bytes", total)
		}
	})
}

func TestTransportThatIsCutEndsItsCommand(t *testing.T) {
	eachTransport(t, func(t *testing.T, via string) {
		s := startVia(t, via, nil)
		w := s.socketWith(t)
		w.text(`{"type":"start","command":"echo $$ > pid; exec sleep 600"}`)
		pid := s.pidIn("pid")
		_ = w.conn.CloseNow()
		eventually(t, "the command has ended", func() bool { return !alive(pid) })
	})
}

// An early answer must reach a client that is still sending, also where closing would reset the connection.
func TestTransportDeliversAnEarlyRefusal(t *testing.T) {
	eachTransport(t, func(t *testing.T, via string) {
		s := startVia(t, via, nil)
		conn, err := s.dial(t.Context(), "", "")
		must(t, err)
		defer conn.Close()
		go func() {
			_, _ = io.WriteString(conn, "POST /v1/files/upload?path=missing/f HTTP/1.1\r\nHost: box\r\nContent-Length: 100000000\r\nAuthorization: Bearer "+s.anything()+"\r\n\r\n")
			block := make([]byte, 1<<16)
			for err := error(nil); err == nil; {
				_, err = conn.Write(block)
			}
		}()
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		must(t, err)
		if body, err := io.ReadAll(response.Body); response.StatusCode != http.StatusNotFound || err != nil {
			t.Fatalf("%d %s %v", response.StatusCode, body, err)
		}
	})
}

func TestTransportAnswersConnectionsBeyondTheLimit(t *testing.T) {
	eachTransport(t, func(t *testing.T, via string) {
		t.Setenv(transport, via)
		s := startUnconfigured(t, settings{"limits": settings{"connections": 3}})
		s.client.CloseIdleConnections()
		eventually(t, "a connection is refused", func() bool {
			conn, err := s.dial(t.Context(), "", "")
			must(t, err)
			t.Cleanup(func() { _ = conn.Close() })
			_, _ = io.WriteString(conn, "GET /v1/health HTTP/1.1\r\nHost: box\r\n\r\n")
			response, err := http.ReadResponse(bufio.NewReader(conn), nil)
			must(t, err)
			return response.StatusCode == http.StatusTooManyRequests
		})
	})
}

func TestTLSTakesNothingElse(t *testing.T) {
	s := startVia(t, "tls", nil)
	if conn, err := tls.Dial("tcp", s.address, pinned(tls.VersionTLS12)); err == nil {
		_ = conn.Close()
		t.Fatal("TLS 1.2 was taken")
	}
	conn, err := tls.Dial("tcp", s.address, pinned(tls.VersionTLS13))
	must(t, err)
	defer conn.Close()
	if state := conn.ConnectionState(); state.NegotiatedProtocol != "" || state.DidResume {
		t.Fatalf("%+v", state)
	}
	plain, err := net.Dial("tcp", s.address)
	must(t, err)
	defer plain.Close()
	_, _ = io.WriteString(plain, "GET /v1/health HTTP/1.1\r\nHost: box\r\n\r\n")
	if got, _ := io.ReadAll(plain); bytes.Contains(got, []byte(sandboxID)) {
		t.Fatalf("answered without TLS: %s", got)
	}
	// Clients that shake no hand hold nothing up.
	for range 20 {
		idle, err := net.Dial("tcp", s.address)
		must(t, err)
		defer idle.Close()
	}
	if got := s.sh("echo on"); got.Stdout != "on\n" {
		t.Fatal(got)
	}
}

func TestACertificateNeedsItsOwnKey(t *testing.T) {
	s := prepare(t)
	path := t.TempDir() + "/config"
	must(t, os.WriteFile(path, s.config(settings{"tls": settings{"certificate": made().certificate, "key": newPair().key}}), 0o600))
	command := exec.Command(os.Args[0], "serve", "--config", path, "--listen", "tcp:127.0.0.1:0")
	command.Env = s.command.Env
	out, err := command.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "private key does not match") {
		t.Fatalf("%v %s", err, out)
	}
}

func TestTheKernelsChoiceOfAPortIsInTheLog(t *testing.T) {
	t.Setenv(transport, "tcp")
	s := prepare(t)
	s.listenOn("tcp:[::1]:0")
	s.command.Stderr = nil // not the buffer: it is read while boxd runs
	log, err := s.command.StderrPipe()
	must(t, err)
	s.begin(nil)
	var line struct{ Event, Address string }
	lines := bufio.NewScanner(log)
	for line.Event != "listening" && lines.Scan() {
		_ = json.Unmarshal(lines.Bytes(), &line)
	}
	go func() { _, _ = io.Copy(io.Discard, log) }()
	kind, address, _ := strings.Cut(line.Address, ":")
	if kind != "tcp" || !strings.HasPrefix(address, "[::1]:") || strings.HasSuffix(address, ":0") {
		t.Fatalf("%+v", line)
	}
	s.address = address
	s.configure(`{}`)
	if got := s.get("/v1/ports"); bytes.Contains(got.body, []byte(address[strings.LastIndex(address, ":"):][1:])) {
		t.Fatalf("boxd's own port is offered: %s", got.body)
	}
}
