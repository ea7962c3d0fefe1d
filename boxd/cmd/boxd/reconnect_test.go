package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/coder/websocket"
)

// counted is what the processes here write: every byte can be told from its neighbours.
func counted(count int) []byte {
	var out bytes.Buffer
	for i := range count {
		fmt.Fprintf(&out, "%09d\n", i)
	}
	return out.Bytes()
}

// A client that is cut a thousand times, anywhere, gets each byte once. Its offset is where its last frame ended.
func TestAThousandReconnectsGiveEachByteOnce(t *testing.T) {
	s := start(t)
	const count = 90_000
	s.manage(settings{"process_id": "p", "command": fmt.Sprintf("seq -f %%09g 0 %d; read end", count-1), "stdin": "open"})
	var got []byte
	connects := 0
	for ; connects < 1000 || len(got) < count*10; connects++ {
		protocol := []string{"", "sandboxer.v1.binary"}[connects%2]
		w := s.at(t, fmt.Sprintf("/v1/processes/p/attach?stdout_offset=%d", len(got)), protocol)
		w.stdoutFrom = len(got)
		w.expect("ready")
		want := min(1+rand.IntN(3000), count*10-len(got))
		for w.stdout.Len() < want {
			kind, raw, err := w.read()
			must(t, err)
			if kind == websocket.MessageBinary {
				w.stdout.Write(raw[1:])
			} else if !w.collect(frameOf(t, raw)) {
				t.Fatalf("%s", raw)
			}
		}
		// What a cut connection had on its way counts as not received: a client may stop between any two frames, or within one.
		got = append(got, w.stdout.Bytes()[:want]...)
		_ = w.conn.CloseNow()
	}
	if !bytes.Equal(got, counted(count)) {
		t.Fatalf("%d bytes of %d, or others", len(got), count*10)
	}
}

// The one who writes holds the process back, as a terminal does: nothing is lost, however small the buffer.
func TestTheWriterLosesNothing(t *testing.T) {
	s := start(t)
	w := s.socketWith(t, "sandboxer.v1.binary")
	w.text(`{"type":"start","on_disconnect":"keep","process_id":"p","command":"head -c 30000000 /dev/zero | tr '\\0' x; touch written"}`)
	w.expect("ready")
	eventually(t, "the buffer is full", func() bool { return s.processNamed("p").Stdout.Next >= 1<<20 })
	quiet(func() int { return int(s.processNamed("p").Stdout.Next) })
	if exists(s.in("written")) {
		t.Fatal("30 MB are somewhere, and nobody has read them")
	}
	if w.untilExit(); w.stdout.Len() != 30_000_000 {
		t.Fatal(w.stdout.Len())
	}
}

// One who only reads and falls behind does not hold it back, but is told what it missed.
func TestASlowReaderIsToldItsGap(t *testing.T) {
	s := start(t)
	s.manage(settings{"process_id": "p", "stdin": "open", "command": "read go; head -c 30000000 /dev/zero | tr '\\0' x; touch written; read end", "output_buffer_bytes": 100_000})
	w := s.at(t, "/v1/processes/p/attach", "sandboxer.v1.binary")
	w.expect("ready")
	s.post("/v1/processes/p/stdin", `{"data":"\n"}`)
	eventually(t, "all is written", func() bool { return exists(s.in("written")) })
	s.post("/v1/processes/p/stdin", `{"data":"\n"}`)
	missed := 0
	for {
		frame := w.next()
		if frame["type"] == "exit" {
			break
		}
		if frame["type"] != "gap" || frame["from"].(float64) != float64(missed+w.stdout.Len()) {
			t.Fatal(frame, missed, w.stdout.Len())
		}
		missed += int(frame["to"].(float64) - frame["from"].(float64))
	}
	if missed == 0 || missed+w.stdout.Len() != 30_000_000 {
		t.Fatal(missed, w.stdout.Len())
	}
}
