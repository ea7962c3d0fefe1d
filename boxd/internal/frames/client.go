// Package frames is the wire form of a running command: JSON text frames, and binary frames of one byte and raw data.
package frames

import (
	"encoding/base64"
	"encoding/json"

	"dev.sandboxer/boxd/internal/problem"
	"dev.sandboxer/boxd/internal/web"
)

// The frames that a client sends.
type (
	// Auth brings a token.
	Auth struct {
		Token string `json:"token"`
	}
	// Start begins the command.
	Start struct {
		Command      json.RawMessage   `json:"command"`
		Cwd          string            `json:"cwd"`
		Env          map[string]string `json:"env"`
		TTY          *Resize           `json:"tty"`
		ProcessID    string            `json:"process_id"`
		OnDisconnect string            `json:"on_disconnect"`
		TimeoutMS    *int64            `json:"timeout_ms"`
	}
	// Stdin brings input, or its end.
	Stdin struct {
		Data []byte
		EOF  bool
	}
	// Signal goes to the command's group.
	Signal struct {
		Name string `json:"name"`
	}
	// Resize is a terminal's size.
	Resize struct {
		Cols int `json:"cols"`
		Rows int `json:"rows"`
	}
	// Ping wants a pong with its id.
	Ping struct {
		ID json.RawMessage `json:"id"`
	}
	// Close ends the connection.
	Close struct{}
)

const maxPingID = 256

// ParseText reads a client's text frame; the error is for the client, and the connection may go on.
func ParseText(raw []byte) (any, error) {
	var head struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return nil, problem.New(problem.Validation, "the frame is not a JSON object with a type")
	}
	switch head.Type {
	case "auth":
		return decode[Auth](raw)
	case "start":
		return decode[Start](raw)
	case "stdin":
		return parseStdin(raw)
	case "signal":
		return decode[Signal](raw)
	case "resize":
		return decode[Resize](raw)
	case "ping":
		return parsePing(raw)
	case "close":
		return decode[Close](raw)
	case "":
		return nil, problem.New(problem.Validation, "the frame has no type")
	}
	return nil, problem.New(problem.Validation, "unknown frame type %.40q; known are auth, start, stdin, signal, resize, ping, close", head.Type)
}

// fields is a frame without its type, so that an unknown field is still found.
func fields(raw []byte) ([]byte, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, problem.New(problem.Validation, "the frame is not a JSON object")
	}
	delete(all, "type")
	return json.Marshal(all)
}

func decode[T any](raw []byte) (any, error) {
	var value T
	rest, err := fields(raw)
	if err != nil {
		return nil, err
	}
	if err := web.DecodeJSON(rest, &value); err != nil {
		return nil, err
	}
	return value, nil
}

func parsePing(raw []byte) (any, error) {
	ping, err := decode[Ping](raw)
	if err == nil && len(ping.(Ping).ID) > maxPingID {
		return nil, problem.New(problem.Validation, "the ping's id is over %d bytes", maxPingID)
	}
	return ping, err
}

// Input is a stdin frame's content in JSON.
type Input struct {
	Data     string `json:"data"`
	Encoding string `json:"encoding"`
	EOF      bool   `json:"eof"`
}

func parseStdin(raw []byte) (any, error) {
	value, err := decode[Input](raw)
	if err != nil {
		return nil, err
	}
	in := value.(Input)
	data, err := Bytes(in.Data, in.Encoding)
	if err != nil {
		return nil, err
	}
	return Stdin{Data: data, EOF: in.EOF}, nil
}

// Bytes turns text in an encoding ("utf-8", which is the default, or "base64") into bytes.
func Bytes(text, encoding string) ([]byte, error) {
	switch encoding {
	case "", "utf-8":
		return []byte(text), nil
	case "base64":
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, problem.New(problem.Validation, "the data is not base64: %v", err)
		}
		return data, nil
	}
	return nil, problem.New(problem.Validation, "encoding %.40q is unknown, use utf-8 or base64", encoding)
}

// ParseBinary reads a client's binary frame: byte 0 and input.
func ParseBinary(raw []byte) (any, error) {
	if len(raw) == 0 || raw[0] != 0 {
		return nil, problem.New(problem.Validation, "a binary frame from a client starts with byte 0 (stdin)")
	}
	return Stdin{Data: raw[1:]}, nil
}
