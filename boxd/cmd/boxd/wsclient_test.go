package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"iter"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"
)

// socketClient is a client of the exec WebSocket that collects output.
type socketClient struct {
	t              *testing.T
	conn           *websocket.Conn
	stdout, stderr bytes.Buffer
	stdoutFrom     int // the offset at which stdout began here
	frames         []map[string]any
}

func (s *sandbox) socketWith(t *testing.T, protocols ...string) *socketClient {
	t.Helper()
	return &socketClient{t: t, conn: s.connect(s.bearer(), protocols...)}
}

// read waits for a frame, but not for ever.
func (w *socketClient) read() (websocket.MessageType, []byte, error) {
	ctx, cancel := context.WithTimeout(w.t.Context(), 30*time.Second)
	defer cancel()
	return w.conn.Read(ctx)
}

// at opens any of the WebSockets.
func (s *sandbox) at(t *testing.T, path string, protocols ...string) *socketClient {
	t.Helper()
	return &socketClient{t: t, conn: s.connectTo(path, s.bearer(), protocols...)}
}

func (w *socketClient) text(frame string) {
	w.t.Helper()
	must(w.t, w.conn.Write(w.t.Context(), websocket.MessageText, []byte(frame)))
}

func (w *socketClient) binary(frame []byte) {
	w.t.Helper()
	must(w.t, w.conn.Write(w.t.Context(), websocket.MessageBinary, frame))
}

// next collects output until another frame comes, which it returns.
func (w *socketClient) next() map[string]any {
	w.t.Helper()
	for {
		kind, raw, err := w.read()
		must(w.t, err)
		if kind == websocket.MessageBinary {
			map[byte]*bytes.Buffer{1: &w.stdout, 2: &w.stderr}[raw[0]].Write(raw[1:])
			continue
		}
		if !utf8.Valid(raw) {
			w.t.Fatalf("a text frame is not UTF-8: %q", raw)
		}
		frame := frameOf(w.t, raw)
		w.frames = append(w.frames, frame)
		if !w.collect(frame) {
			return frame
		}
	}
}

func (w *socketClient) collect(frame map[string]any) bool {
	w.t.Helper()
	into := map[any]*bytes.Buffer{"stdout": &w.stdout, "stderr": &w.stderr}[frame["type"]]
	if into == nil {
		return false
	}
	data := []byte(frame["data"].(string))
	if frame["encoding"] == "base64" {
		var err error
		data, err = base64.StdEncoding.DecodeString(string(data))
		must(w.t, err)
	}
	from := 0
	if into == &w.stdout {
		from = w.stdoutFrom
	}
	if offset := frame["offset"].(float64); int(offset) != from+into.Len() {
		w.t.Fatalf("%s at offset %v after %d bytes from %d on", frame["type"], offset, into.Len(), from)
	}
	into.Write(data)
	return true
}

func (w *socketClient) expect(kind string) map[string]any {
	w.t.Helper()
	frame := w.next()
	if frame["type"] != kind {
		w.t.Fatalf("got %v instead of %s", frame, kind)
	}
	return frame
}

func (w *socketClient) untilExit() map[string]any {
	w.t.Helper()
	for {
		if frame := w.next(); frame["type"] == "exit" {
			return frame
		}
	}
}

// untilClosed reads until the server closes and returns the code of that.
func (w *socketClient) untilClosed() websocket.StatusCode {
	w.t.Helper()
	for {
		if _, _, err := w.read(); err != nil {
			return websocket.CloseStatus(err)
		}
	}
}

// newLines yields each line; a frame of output may be long.
func newLines(from io.Reader) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		scanner := bufio.NewScanner(from)
		scanner.Buffer(make([]byte, 1<<20), 1<<20)
		for scanner.Scan() && yield(scanner.Bytes()) {
		}
	}
}

func unmarshal(raw []byte, into any) error { return json.Unmarshal(raw, into) }
