package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

const egressHead = "POST /v1/control/egress?port=%s HTTP/1.1\r\nHost: box\r\nAuthorization: Bearer %s\r\nConnection: Upgrade\r\nUpgrade: %s\r\n\r\n"

// wayOut is a sandbox whose forwarder listens on a free port.
type wayOut struct {
	*sandbox
	port string
}

func startWayOut(t *testing.T) *wayOut {
	t.Helper()
	s := start(t)
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	must(t, err)
	_, port, err := net.SplitHostPort(listener.Addr().String())
	must(t, err)
	must(t, listener.Close())
	return &wayOut{s, port}
}

// open opens a stream as the platform does it, and leaves it waiting.
func (w *wayOut) open() (net.Conn, *bufio.Reader) {
	w.t.Helper()
	conn, reader, response := w.ask(w.port, "sandboxer-egress")
	if response.StatusCode != http.StatusSwitchingProtocols {
		w.t.Fatal(response.Status)
	}
	return conn, reader
}

func (w *wayOut) ask(port, protocol string) (net.Conn, *bufio.Reader, *http.Response) {
	w.t.Helper()
	conn, err := w.dial(context.Background(), "", "")
	must(w.t, err)
	w.t.Cleanup(func() { _ = conn.Close() })
	must(w.t, conn.SetDeadline(time.Now().Add(30*time.Second)))
	_, err = fmt.Fprintf(conn, egressHead, port, w.token("admin"), protocol)
	must(w.t, err)
	reader := bufio.NewReader(conn)
	response, err := http.ReadResponse(reader, nil)
	must(w.t, err)
	return conn, reader, response
}

func (w *wayOut) inside() net.Conn {
	w.t.Helper()
	conn, err := net.Dial("tcp4", "127.0.0.1:"+w.port)
	must(w.t, err)
	w.t.Cleanup(func() { _ = conn.Close() })
	must(w.t, conn.SetDeadline(time.Now().Add(30*time.Second)))
	return conn
}

// insideByIPv6 uses a socket of IPv6 for the address of IPv4, as Java does.
func (w *wayOut) insideByIPv6() net.Conn {
	w.t.Helper()
	port, err := strconv.Atoi(w.port)
	must(w.t, err)
	socket, err := syscall.Socket(syscall.AF_INET6, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	must(w.t, err)
	file := os.NewFile(uintptr(socket), "inside")
	defer file.Close()
	must(w.t, syscall.Connect(socket, &syscall.SockaddrInet6{Port: port, Addr: [16]byte(net.ParseIP("127.0.0.1"))}))
	conn, err := net.FileConn(file)
	must(w.t, err)
	return conn
}

func line(t *testing.T, from io.Reader) string {
	t.Helper()
	text, err := bufio.NewReader(from).ReadString('\n')
	must(t, err)
	return text
}

func speak(t *testing.T, to io.Writer, text string) {
	t.Helper()
	_, err := io.WriteString(to, text)
	must(t, err)
}

func TestWayOut(t *testing.T) {
	w := startWayOut(t)
	platform, reader := w.open()
	inside := w.inside()
	speak(t, inside, "question\n")
	if got := line(t, reader); got != "question\n" {
		t.Fatal(got)
	}
	must(t, inside.(*net.TCPConn).CloseWrite())
	speak(t, platform, "answer\n")
	if got := line(t, inside); got != "answer\n" {
		t.Fatal(got)
	}
	must(t, platform.Close())
	if rest, err := io.ReadAll(inside); err != nil || len(rest) > 0 {
		t.Fatal(rest, err)
	}
}

// Long before a program that only ends its half is given up.
func TestWayOutOfAProgramThatHasGone(t *testing.T) {
	w := startWayOut(t)
	for _, connect := range []func() net.Conn{w.inside, w.insideByIPv6} {
		platform, reader := w.open()
		must(t, platform.SetDeadline(time.Now().Add(10*time.Second)))
		inside := connect()
		speak(t, inside, "question\n")
		if got := line(t, reader); got != "question\n" {
			t.Fatal(got)
		}
		must(t, inside.Close())
		if rest, err := io.ReadAll(reader); err != nil || len(rest) > 0 {
			t.Fatal(rest, err)
		}
	}
}

func TestWayOutMovesMuchBothWays(t *testing.T) {
	w := startWayOut(t)
	content := make([]byte, 32<<20)
	_, _ = rand.Read(content)
	var all sync.WaitGroup
	for range 4 {
		platform, reader := w.open()
		all.Go(func() { // an echo
			_, _ = io.Copy(platform, reader)
		})
	}
	for range 4 {
		all.Go(func() {
			inside := w.inside()
			go func() { _, _ = inside.Write(content) }()
			got := make([]byte, len(content))
			if _, err := io.ReadFull(inside, got); err != nil || !bytes.Equal(got, content) {
				t.Error("the content has changed", err)
			}
			_ = inside.(*net.TCPConn).SetLinger(0)
			_ = inside.Close()
		})
	}
	all.Wait()
}

// A stream whose platform has gone is not given to a program; one that comes while it waits is.
func TestWayOutOfAPlatformThatComesBack(t *testing.T) {
	w := startWayOut(t)
	for range 20 { // more than may wait
		gone, _ := w.open()
		must(t, gone.Close())
	}
	inside := w.inside()
	speak(t, inside, "question\n")
	_, reader := w.open()
	if got := line(t, reader); got != "question\n" {
		t.Fatal(got)
	}
}

func TestWayOutWithoutPlatform(t *testing.T) {
	w := startWayOut(t)
	gone, _ := w.open()
	must(t, gone.Close())
	inside := w.inside()
	response, err := http.ReadResponse(bufio.NewReader(inside), nil)
	must(t, err)
	body, err := io.ReadAll(response.Body)
	must(t, err)
	if response.StatusCode != http.StatusServiceUnavailable || !strings.Contains(string(body), "platform does not answer") {
		t.Fatal(response.Status, string(body))
	}
}

// A platform that speaks before a program does breaks the rules: its stream is not used.
func TestWayOutThatSpeaksFirst(t *testing.T) {
	w := startWayOut(t)
	platform, reader := w.open()
	speak(t, platform, "hello\n")
	if _, err := reader.ReadByte(); err == nil {
		t.Fatal("the stream is open")
	}
	_, second := w.open()
	inside := w.inside()
	speak(t, inside, "question\n")
	if got := line(t, second); got != "question\n" {
		t.Fatal(got)
	}
}

func TestWayOutThatCannotBe(t *testing.T) {
	w := startWayOut(t)
	for _, port := range []string{"", "0", "65536", "x"} {
		if _, _, response := w.ask(port, "sandboxer-egress"); response.StatusCode != http.StatusBadRequest {
			t.Fatal(port, response.Status)
		}
	}
	if _, _, response := w.ask(w.port, "websocket"); response.StatusCode != http.StatusBadRequest {
		t.Fatal(response.Status)
	}
	taken, err := net.Listen("tcp4", "127.0.0.1:0")
	must(t, err)
	defer taken.Close()
	_, port, err := net.SplitHostPort(taken.Addr().String())
	must(t, err)
	if _, _, response := w.ask(port, "sandboxer-egress"); response.StatusCode != http.StatusConflict {
		t.Fatal(response.Status)
	}
	w.open()
	other, err := strconv.Atoi(w.port)
	must(t, err)
	if _, _, response := w.ask(strconv.Itoa(other%65535+1), "sandboxer-egress"); response.StatusCode != http.StatusConflict {
		t.Fatal(response.Status)
	}
}

func TestRevocationEndsTheWayOut(t *testing.T) {
	w := startWayOut(t)
	_, waiting := w.open()
	w.post("/v1/control/revoke", `{"scope":"all","min_epoch":100}`)
	if _, err := waiting.ReadByte(); err == nil {
		t.Fatal("the stream is open")
	}
}
