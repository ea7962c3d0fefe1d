package frames

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"testing"
	"unicode/utf8"

	"dev.sandboxer/boxd/internal/problem"
)

func FuzzParseText(f *testing.F) {
	for _, seed := range []string{
		`{"type":"auth","token":"x"}`, `{"type":"start","command":["a"],"cwd":"/","env":{"A":"b"},"on_disconnect":"keep"}`, `{"type":"start","command":"a","tty":{"cols":1,"rows":2}}`,
		`{"type":"stdin","data":"x"}`, `{"type":"stdin","data":"eA==","encoding":"base64"}`, `{"type":"stdin","eof":true}`, `{"type":"signal","name":"TERM"}`,
		`{"type":"resize","cols":1,"rows":2}`, `{"type":"ping","id":[1]}`, `{"type":"close"}`, `{"type":"x"}`, `{}`, `[]`, `null`, `{"type":"close","type":"ping"}`, "\xff", `{"type":"ping","id":1e999}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		frame, err := ParseText(raw)
		var known *problem.Error
		if (frame == nil) == (err == nil) || err != nil && !errors.As(err, &known) {
			t.Fatalf("%q: %v %v", raw, frame, err)
		}
		if known != nil && !json.Valid(Failure(known)) {
			t.Fatalf("%q: the error frame is no JSON", raw)
		}
		if ping, ok := frame.(Ping); ok && !json.Valid(Pong(ping.ID)) {
			t.Fatalf("%q: the pong is no JSON", raw)
		}
	})
}

func FuzzParseBinary(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0})
	f.Add([]byte{0, 1})
	f.Add([]byte{1, 2})
	f.Fuzz(func(t *testing.T, raw []byte) {
		frame, err := ParseBinary(raw)
		if good := len(raw) > 0 && raw[0] == 0; good != (err == nil) {
			t.Fatalf("%q: %v", raw, err)
		}
		if err == nil && !bytes.Equal(frame.(Stdin).Data, raw[1:]) {
			t.Fatalf("%q became %v", raw, frame)
		}
	})
}

// FuzzOutput cuts a stream in two: the frames are UTF-8, carry the exact bytes, and text is never cut inside a character.
func FuzzOutput(f *testing.F) {
	f.Add([]byte("a€𝄞"), 2)
	f.Add([]byte("\xff\xe2\x82"), 1)
	f.Add([]byte("\xf0\x9d\x84\x9e"), 3)
	f.Add([]byte("<>&\u2028\x00\""), 0)
	f.Fuzz(func(t *testing.T, data []byte, cut int) {
		cut = min(max(cut, 0), len(data))
		whole := WholeText(data[:cut])
		if utf8.Valid(data) && !utf8.Valid(data[:whole]) || cut-whole >= utf8.UTFMax {
			t.Fatalf("%q is cut at %d of %d", data, whole, cut)
		}
		var back []byte
		for _, part := range [][]byte{data[:whole], data[whole:]} {
			back = append(back, decoded(t, Output(Stdout, part, int64(len(back))), len(back))...)
		}
		if !bytes.Equal(back, data) {
			t.Fatalf("%q became %q", data, back)
		}
	})
}

func decoded(t *testing.T, raw []byte, offset int) []byte {
	var frame struct {
		Type, Data, Encoding string
		Offset               int
	}
	if err := json.Unmarshal(raw, &frame); err != nil || !utf8.Valid(raw) || frame.Type != "stdout" || frame.Offset != offset {
		t.Fatalf("%q: %v", raw, err)
	}
	if frame.Encoding != "base64" {
		return []byte(frame.Data)
	}
	data, err := base64.StdEncoding.DecodeString(frame.Data)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
