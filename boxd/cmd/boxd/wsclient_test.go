package main

import (
	"bytes"
	"encoding/base64"
	"testing"
	"unicode/utf8"

	"github.com/coder/websocket"
)

// socketClient is a client of the exec WebSocket that collects output.
type socketClient struct {
	t              *testing.T
	conn           *websocket.Conn
	stdout, stderr bytes.Buffer
	frames         []map[string]any
}

func (s *sandbox) socketWith(t *testing.T, protocols ...string) *socketClient {
	t.Helper()
	return &socketClient{t: t, conn: s.connect(s.bearer(), protocols...)}
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
		kind, raw, err := w.conn.Read(w.t.Context())
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
	if offset := frame["offset"].(float64); int(offset) != into.Len() {
		w.t.Fatalf("%s at offset %v after %d bytes", frame["type"], offset, into.Len())
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
		if _, _, err := w.conn.Read(w.t.Context()); err != nil {
			return websocket.CloseStatus(err)
		}
	}
}
