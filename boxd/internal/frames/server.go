package frames

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"time"
	"unicode/utf8"

	"dev.sandboxer/boxd/internal/problem"
)

// Stream is a command's output stream, and the first byte of its binary frames.
type Stream byte

// The two streams.
const (
	Stdout Stream = 1
	Stderr Stream = 2
)

func (s Stream) String() string {
	if s == Stderr {
		return "stderr"
	}
	return "stdout"
}

// Exit is a command's end; Code is nil after a signal, Signal is nil without one.
type Exit struct {
	Code            *int
	Signal          *string
	Duration        time.Duration
	TimedOut        bool
	OOMKills        int64 // processes of the sandbox that the kernel ended for lack of memory meanwhile
	StdoutTruncated bool
	StderrTruncated bool
	Restarting      bool // it will be started again
}

// AuthOK answers an auth frame.
func AuthOK(capabilities []string) []byte {
	return encode(struct {
		Type         string   `json:"type"`
		Capabilities []string `json:"capabilities"`
	}{"auth_ok", capabilities})
}

// Offsets are positions in the two streams, in bytes from the start.
type Offsets struct {
	Stdout int64 `json:"stdout"`
	Stderr int64 `json:"stderr"`
}

// Ready says that the command runs, and where its output begins here; Pid is 0 while it does not run.
type Ready struct {
	ProcessID string
	Pid       int
	Restarts  int
	Offsets   Offsets
}

// Encode is the ready frame.
func (r Ready) Encode() []byte {
	return encode(struct {
		Type      string  `json:"type"`
		ProcessID string  `json:"process_id"`
		Pid       int     `json:"pid"`
		Restarts  int     `json:"restarts,omitempty"`
		Offsets   Offsets `json:"offsets"`
	}{"ready", r.ProcessID, r.Pid, r.Restarts, r.Offsets})
}

// Gap says that the bytes from one offset up to another are no longer there.
func Gap(stream Stream, from, to int64) []byte {
	return encode(struct {
		Type   string `json:"type"`
		Stream string `json:"stream"`
		From   int64  `json:"from"`
		To     int64  `json:"to"`
	}{"gap", stream.String(), from, to})
}

// Pong answers a ping.
func Pong(id json.RawMessage) []byte {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	return encode(struct {
		Type string          `json:"type"`
		ID   json.RawMessage `json:"id"`
	}{"pong", id})
}

// Ended is the exit frame.
func Ended(e Exit) []byte {
	return encode(struct {
		Type            string  `json:"type"`
		ExitCode        *int    `json:"exit_code"`
		Signal          *string `json:"signal"`
		DurationMS      int64   `json:"duration_ms"`
		TimedOut        bool    `json:"timed_out"`
		OOMKills        int64   `json:"oom_kills,omitempty"`
		StdoutTruncated bool    `json:"stdout_truncated,omitempty"`
		StderrTruncated bool    `json:"stderr_truncated,omitempty"`
		Restarting      bool    `json:"restarting,omitempty"`
	}{"exit", e.Code, e.Signal, e.Duration.Milliseconds(), e.TimedOut, e.OOMKills, e.StdoutTruncated, e.StderrTruncated, e.Restarting})
}

// Failure is an error frame.
func Failure(e *problem.Error) []byte {
	return encode(struct {
		Type      string       `json:"type"`
		Code      problem.Code `json:"code"`
		Message   string       `json:"message"`
		Retryable bool         `json:"retryable"`
	}{"error", e.Code, e.Message, e.Retryable()})
}

// Output is a text frame of a stream's bytes, which begin at offset: as text if they are valid UTF-8, else as base64.
func Output(stream Stream, data []byte, offset int64) []byte {
	frame := make([]byte, 0, len(data)*4/3+len(data)/16+96)
	frame = append(frame, `{"type":"`+stream.String()+`","data":`...)
	if utf8.Valid(data) {
		frame = appendText(frame, data)
	} else {
		frame = append(frame, '"')
		frame = base64.StdEncoding.AppendEncode(frame, data)
		frame = append(frame, `","encoding":"base64"`...)
	}
	frame = append(frame, `,"offset":`...)
	return append(strconv.AppendInt(frame, offset, 10), "}\n"...)
}

// appendText writes valid UTF-8 as a JSON string; output is most of what boxd sends, and this is three times as fast as encoding/json.
func appendText(out, text []byte) []byte {
	return append(AppendEscaped(append(out, '"'), text), '"')
}

// AppendEscaped writes the inside of a JSON string. The text may begin and end within a character.
func AppendEscaped(out, text []byte) []byte {
	const hex = "0123456789abcdef"
	from := 0
	for i, b := range text {
		if b >= ' ' && b != '"' && b != '\\' {
			continue
		}
		out = append(out, text[from:i]...)
		from = i + 1
		switch b {
		case '"', '\\':
			out = append(out, '\\', b)
		case '\n':
			out = append(out, '\\', 'n')
		default:
			out = append(out, '\\', 'u', '0', '0', hex[b>>4], hex[b&15])
		}
	}
	return append(out, text[from:]...)
}

// WholeText is the length of data without a character at its end that is cut off.
func WholeText(data []byte) int {
	for back := 1; back <= utf8.UTFMax && back <= len(data); back++ {
		start := len(data) - back
		if !utf8.RuneStart(data[start]) {
			continue
		}
		if !utf8.FullRune(data[start:]) {
			return start
		}
		break
	}
	return len(data)
}

func encode(frame any) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(frame); err != nil { // only a pong's id could fail, and that was parsed before
		return []byte("{\"type\":\"error\",\"code\":\"INTERNAL\",\"message\":\"a frame could not be encoded\",\"retryable\":false}\n")
	}
	return out.Bytes()
}
