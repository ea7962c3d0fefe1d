package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"dev.sandboxer/boxd/internal/problem"
)

// bodyTime is how long a small body may take to arrive: a client that trickles it must not hold a connection for ever.
const bodyTime = 30 * time.Second

// ReadJSON reads a whole JSON body of at most limit bytes into target; unknown fields are refused by name.
func (c *Call) ReadJSON(target any, limit int64) error {
	if kind, _, err := mime.ParseMediaType(c.R.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return problem.New(problem.UnsupportedMedia, "Content-Type is %q, send application/json", c.R.Header.Get("Content-Type"))
	}
	raw, err := c.ReadAll(limit)
	if err != nil {
		return err
	}
	return DecodeJSON(raw, target)
}

// ReadAll reads a whole body of at most limit bytes.
func (c *Call) ReadAll(limit int64) ([]byte, error) {
	controller := http.NewResponseController(c.W)
	_ = controller.SetReadDeadline(time.Now().Add(bodyTime))
	raw, err := io.ReadAll(http.MaxBytesReader(c.W, c.R.Body, limit))
	// Cleared before the handler runs: it would end the watch for a client that goes away.
	_ = controller.SetReadDeadline(time.Time{})
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, problem.New(problem.TooLarge, "the body is over the limit of %d bytes (limits.json_bytes of the profile)", limit)
	case err != nil:
		return nil, problem.New(problem.Validation, "the body did not arrive whole within %s: %v", bodyTime, err)
	}
	return raw, nil
}

// DecodeJSON reads exactly one JSON value without unknown fields into target.
func DecodeJSON(raw []byte, target any) error {
	if !utf8.Valid(raw) {
		return problem.New(problem.Validation, "the JSON is not valid UTF-8; send raw bytes as base64")
	}
	if bytes.Equal(bytes.TrimSpace(raw), []byte("null")) {
		return problem.New(problem.Validation, "the body is null, a JSON object is needed")
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(target); err != nil {
		return problem.New(problem.Validation, "%s", explain(err))
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return problem.New(problem.Validation, "something follows the JSON value")
	}
	return nil
}

func explain(err error) string {
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind):
		return "field " + kind.Field + " is a " + kind.Value + ", must be " + jsonName(kind.Type.Kind().String())
	case errors.Is(err, io.EOF):
		return "the body is empty, a JSON object is needed"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "the JSON ends too early"
	}
	return "not the JSON that is wanted: " + strings.TrimPrefix(err.Error(), "json: ")
}

func jsonName(kind string) string {
	switch {
	case strings.HasPrefix(kind, "int"), strings.HasPrefix(kind, "uint"):
		return "a whole number"
	case kind == "map", kind == "struct", kind == "ptr":
		return "an object"
	case kind == "slice":
		return "an array"
	case kind == "bool":
		return "true or false"
	}
	return "a " + kind
}

// ParseBool reads a query parameter that is true or false; empty is false.
func ParseBool(name, value string) (bool, error) {
	switch value {
	case "", "false":
		return false, nil
	case "true":
		return true, nil
	}
	return false, problem.New(problem.Validation, "%s is %.40q, must be true or false", name, value)
}

func parseQuery(raw string) (url.Values, error) {
	query, err := url.ParseQuery(raw)
	if err != nil {
		return nil, problem.New(problem.Validation, "the query cannot be read: %v", err)
	}
	return query, nil
}

func contains(all []string, one string) bool { return slices.Contains(all, one) }
