package mcp

import (
	"bytes"
	"encoding/json"

	"dev.sandboxer/boxd/internal/problem"
)

// The error codes of JSON-RPC 2.0 that boxd itself answers with.
const (
	methodNotFound = -32601
	serverError    = -32000
)

// message is one of JSON-RPC 2.0: a request has method and id, a notification method alone, a response id alone.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

func (m message) isRequest() bool { return m.Method != "" && len(m.ID) > 0 }

func (m message) isResponse() bool { return m.Method == "" && len(m.ID) > 0 }

func (m message) is(method string) bool { return m.Method == method }

// parse reads a message; the error says what is wrong with it.
func parse(raw []byte) (message, error) {
	var m message
	switch trimmed := bytes.TrimSpace(raw); {
	case len(trimmed) > 0 && trimmed[0] == '[':
		return m, problem.New(problem.Validation, "a batch of messages is not taken; send each alone (MCP 2025-06-18 and later)")
	case json.Unmarshal(trimmed, &m) != nil:
		return m, problem.New(problem.Validation, `the body is not a JSON-RPC message such as {"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	}
	if string(m.ID) == "null" {
		m.ID = nil
	}
	switch {
	case m.Version != "2.0":
		return m, problem.New(problem.Validation, `jsonrpc is %.20q, must be "2.0"`, m.Version)
	case len(m.ID) > maxID:
		return m, problem.New(problem.Validation, "the message's id is over %d bytes", maxID)
	case len(m.ID) > 0 && (m.ID[0] == '{' || m.ID[0] == '[' || m.ID[0] == 't' || m.ID[0] == 'f'):
		return m, problem.New(problem.Validation, "the message's id is neither a string nor a number")
	case m.Method == "" && len(m.ID) == 0:
		return m, problem.New(problem.Validation, "the message has neither a method nor an id")
	case m.isResponse() && (len(m.Result) > 0) == (len(m.Error) > 0):
		return m, problem.New(problem.Validation, "a response has either a result or an error")
	}
	return m, nil
}

const maxID = 256

// line is the message on one line.
func (m message) line() []byte {
	m.Version = "2.0"
	line, err := json.Marshal(m)
	if err != nil { // its parts were parsed before
		return []byte(`{"jsonrpc":"2.0","method":"notifications/message"}`)
	}
	return line
}

// failure is an error response.
func failure(id json.RawMessage, code int, text string) message {
	why, _ := json.Marshal(struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}{code, text})
	return message{ID: id, Error: why}
}

// encoded is a value that always can be encoded.
func encoded(value any) json.RawMessage {
	raw, _ := json.Marshal(value)
	return raw
}

// object is a JSON object whose other fields stay as they are; nil for anything else.
func object(raw json.RawMessage) map[string]json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return nil
	}
	return fields
}

// progressToken of a request; empty without one.
func (m message) progressToken() json.RawMessage {
	return object(object(m.Params)["_meta"])["progressToken"]
}

// withProgressToken is the request with another token in place of its own.
func (m message) withProgressToken(token json.RawMessage) message {
	params := object(m.Params)
	meta := object(params["_meta"])
	meta["progressToken"] = token
	params["_meta"] = encoded(meta)
	m.Params = encoded(params)
	return m
}
