package managed

import (
	"errors"
	"io"
	"strings"

	"dev.sandboxer/boxd/internal/frames"
	"dev.sandboxer/boxd/internal/problem"
	"dev.sandboxer/boxd/internal/web"
)

const inputPiece = 64 << 10

// stdin writes to a process: JSON as in a stdin frame, or else the raw body, however long.
func (r *Registry) stdin(c *web.Call, p *Process) error {
	query, err := c.Query("eof")
	if err != nil {
		return err
	}
	eof, err := web.ParseBool("eof", query["eof"])
	if err != nil {
		return err
	}
	who := new(byte)
	if err := p.claim(who); err != nil {
		return err
	}
	defer p.unclaim(who)
	there := func() bool { return c.R.Context().Err() == nil }
	if strings.HasPrefix(c.R.Header.Get("Content-Type"), "application/json") {
		err = r.stdinJSON(c, p, eof, there)
	} else {
		err = stdinRaw(c, p, eof, there)
	}
	if err != nil {
		return err
	}
	return c.NoContent()
}

func (r *Registry) stdinJSON(c *web.Call, p *Process, eof bool, there func() bool) error {
	var q frames.Input
	if err := c.ReadJSON(&q, r.limits.Get().JSONBytes); err != nil {
		return err
	}
	data, err := frames.Bytes(q.Data, q.Encoding)
	if err != nil {
		return err
	}
	return p.feed(data, q.EOF || eof, there)
}

func stdinRaw(c *web.Call, p *Process, eof bool, there func() bool) error {
	for {
		piece := make([]byte, inputPiece) // the queue keeps it
		n, err := c.R.Body.Read(piece)
		ended := errors.Is(err, io.EOF)
		if n > 0 || ended {
			if fed := p.feed(piece[:n], ended && eof, there); fed != nil {
				return fed
			}
		}
		switch {
		case ended:
			return nil
		case err != nil:
			return problem.New(problem.Validation, "the body ended early: %v", err)
		}
	}
}
