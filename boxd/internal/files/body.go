package files

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"dev.sandboxer/boxd/internal/problem"
	"dev.sandboxer/boxd/internal/web"
)

const (
	refusalTime  = 5 * time.Second
	refusalBytes = 16 << 20
)

// body is an upload that must keep moving.
type body struct {
	from       io.Reader
	controller *http.ResponseController
	armed      time.Time
}

func newBody(c *web.Call) *body {
	return &body{from: c.R.Body, controller: http.NewResponseController(c.W)}
}

func (b *body) Read(into []byte) (int, error) {
	if now := time.Now(); now.Sub(b.armed) > time.Second {
		b.armed = now
		_ = b.controller.SetReadDeadline(now.Add(stallTime))
	}
	n, err := b.from.Read(into)
	switch {
	case err == nil, err == io.EOF: //nolint:errorlint // io.Reader's contract is the bare value
		return n, err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return n, problem.New(problem.Validation, "the body stood still for %s", stallTime)
	}
	return n, problem.New(problem.Validation, "the body ended early: %v", err)
}

// finish reads what a refused client still sends, within bounds: one that cannot write any more seldom looks for the answer.
func (b *body) finish() {
	_ = b.controller.SetReadDeadline(time.Now().Add(refusalTime))
	_, _ = io.CopyN(io.Discard, b.from, refusalBytes)
	_ = b.controller.SetReadDeadline(time.Time{})
}
