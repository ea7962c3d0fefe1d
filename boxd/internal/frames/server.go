package frames

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
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
	StdoutTruncated bool
	StderrTruncated bool
}

// AuthOK answers an auth frame.
func AuthOK(capabilities []string) []byte {
	return encode(struct {
		Type         string   `json:"type"`
		Capabilities []string `json:"capabilities"`
	}{"auth_ok", capabilities})
}

// Ready says that the command runs.
func Ready(processID string, pid int) []byte {
	return encode(struct {
		Type      string `json:"type"`
		ProcessID string `json:"process_id"`
		Pid       int    `json:"pid"`
	}{"ready", processID, pid})
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
		StdoutTruncated bool    `json:"stdout_truncated,omitempty"`
		StderrTruncated bool    `json:"stderr_truncated,omitempty"`
	}{"exit", e.Code, e.Signal, e.Duration.Milliseconds(), e.TimedOut, e.StdoutTruncated, e.StderrTruncated})
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
	text, encoding := Encode(data)
	return encode(struct {
		Type     string `json:"type"`
		Data     string `json:"data"`
		Encoding string `json:"encoding,omitempty"`
		Offset   int64  `json:"offset"`
	}{stream.String(), text, omitUTF8(encoding), offset})
}

func omitUTF8(encoding string) string {
	if encoding == "utf-8" {
		return ""
	}
	return encoding
}

// Encode returns the data as text with its encoding, "utf-8" or "base64".
func Encode(data []byte) (text, encoding string) {
	if utf8.Valid(data) {
		return string(data), "utf-8"
	}
	return base64.StdEncoding.EncodeToString(data), "base64"
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
