package mcp

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"dev.sandboxer/boxd/internal/problem"
	"dev.sandboxer/boxd/internal/web"
)

const (
	sessionHeader = "Mcp-Session-Id"
	pingTime      = 15 * time.Second
	stallTime     = 60 * time.Second // a reader that takes nothing for so long is cut; it can come again
)

// post takes one message. A request is answered by a stream of events, whose last is the response.
func (s *server) post(c *web.Call) error {
	m, err := s.read(c)
	if err != nil {
		return err
	}
	if c.R.Header.Get(sessionHeader) == "" {
		return s.first(c, m)
	}
	j, err := s.named(c)
	if err != nil {
		return err
	}
	j.enter()
	defer j.leave()
	if m.isRequest() {
		return j.serve(c, m)
	}
	pass := j.process.notify
	if m.isResponse() {
		pass = j.process.respond
	}
	if err := pass(c.R.Context(), m); err != nil {
		return problem.New(problem.InvalidState, "%v", err)
	}
	c.W.WriteHeader(http.StatusAccepted)
	return nil
}

// named is the session that the request names.
func (s *server) named(c *web.Call) (*joined, error) {
	id := c.R.Header.Get(sessionHeader)
	if id == "" {
		return nil, problem.New(problem.Validation, "the header %s is missing: send the id that came with the reply to initialize", sessionHeader)
	}
	return s.session(id)
}

func (s *server) read(c *web.Call) (message, error) {
	if kind, _, err := mime.ParseMediaType(c.R.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return message{}, problem.New(problem.UnsupportedMedia, "Content-Type is %q, send application/json", c.R.Header.Get("Content-Type"))
	}
	if !accepts(c, "application/json") || !accepts(c, "text/event-stream") {
		return message{}, notAcceptable("application/json, text/event-stream", c)
	}
	raw, err := c.ReadAll(s.hub.messageBytes())
	if err != nil {
		return message{}, err
	}
	return parse(raw)
}

func notAcceptable(wanted string, c *web.Call) error {
	refused := problem.New(problem.Validation, "Accept is %.200q, must be %s", strings.Join(c.R.Header.Values("Accept"), ", "), wanted)
	refused.HTTP = http.StatusNotAcceptable
	return refused
}

func accepts(c *web.Call, wanted string) bool {
	kind, _, _ := strings.Cut(wanted, "/")
	for _, header := range c.R.Header.Values("Accept") {
		for one := range strings.SplitSeq(header, ",") {
			one, _, _ = strings.Cut(one, ";")
			switch strings.ToLower(strings.TrimSpace(one)) {
			case wanted, kind + "/*", "*/*":
				return true
			}
		}
	}
	return false
}

// first begins a session with initialize.
func (s *server) first(c *web.Call, m message) error {
	if !m.isRequest() || !m.is("initialize") {
		return problem.New(problem.Validation, "this MCP server has sessions: send initialize first, then its %s with every message", sessionHeader)
	}
	j, err := s.begin()
	if err != nil {
		return err
	}
	j.enter()
	defer j.leave()
	c.W.Header().Set(sessionHeader, j.id)
	err = j.serve(c, m)
	if j.useless() {
		s.end(j.id, "initialize was refused")
	}
	return err
}

// serve passes a request on and streams what comes of it.
func (j *joined) serve(c *web.Call, m message) error {
	number, err := j.open(m.ID)
	if err != nil {
		return err
	}
	v, _ := j.session.read(number, 0)
	defer v.close()
	go func() { // what it is answered with may come before it is passed on as a whole
		if err := j.process.request(context.WithoutCancel(c.R.Context()), m); err != nil { // a client that is cut off comes again for it
			j.respond(failure(m.ID, serverError, text(err)))
		}
	}()
	v.stream(c, c.R.Header.Get("Mcp-Protocol-Version") >= "2025-11-25")
	return nil
}

func text(err error) string {
	var known *problem.Error
	if errors.As(err, &known) {
		return known.Message
	}
	return err.Error()
}

// get opens the stream of what belongs to no request, or goes on with a stream after its event in Last-Event-ID.
func (s *server) get(c *web.Call) error {
	if !accepts(c, "text/event-stream") {
		return notAcceptable("text/event-stream", c)
	}
	j, err := s.named(c)
	if err != nil {
		return err
	}
	number, after, err := position(c.R.Header.Get("Last-Event-Id"))
	if err != nil {
		return err
	}
	j.enter()
	defer j.leave()
	v, there := j.session.read(number, after)
	if !there {
		return problem.New(problem.NotFound, "nothing is kept any more of the stream of event %.80q", c.R.Header.Get("Last-Event-Id"))
	}
	defer v.close()
	v.stream(c, false)
	return nil
}

// position reads an event's id: its stream and its number.
func position(id string) (stream, after int64, err error) {
	if id == "" {
		return general, 0, nil
	}
	first, second, _ := strings.Cut(id, "-")
	stream, wrong := strconv.ParseInt(first, 10, 64)
	after, alsoWrong := strconv.ParseInt(second, 10, 64)
	if wrong != nil || alsoWrong != nil || stream < 0 || after < 0 {
		return 0, 0, problem.New(problem.Validation, "Last-Event-ID is %.80q, which is no id of an event here", id)
	}
	return stream, after, nil
}

// delete ends the session.
func (s *server) delete(c *web.Call) error {
	j, err := s.named(c)
	if err != nil {
		return err
	}
	s.end(j.id, "the session was ended")
	return c.NoContent()
}

// stream writes events until the stream ends or the client goes. A primed one begins with an id alone, so that a client that is cut off
// before the first message can come again.
func (v *view) stream(c *web.Call, primed bool) {
	header := c.W.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-store")
	controller := http.NewResponseController(c.W)
	write := func(format string, args ...any) bool {
		_ = controller.SetWriteDeadline(time.Now().Add(stallTime))
		if _, err := fmt.Fprintf(c.W, format, args...); err != nil {
			return false
		}
		return controller.Flush() == nil
	}
	c.W.WriteHeader(http.StatusOK)
	if primed && !write("id: %d-%d\ndata: \n\n", v.number, v.after) || !primed && !write("") {
		return
	}
	for {
		found, wait := v.poll()
		switch {
		case found != nil:
			if !write("id: %d-%d\nevent: message\ndata: %s\n\n", found.stream, found.number, found.data) {
				return
			}
			continue
		case wait == nil:
			return
		}
		select {
		case <-wait:
		case <-c.R.Context().Done():
			return
		case <-time.After(pingTime):
			if !write(": ping\n\n") {
				return
			}
		}
	}
}
