package exec

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"time"

	"github.com/coder/websocket"

	"dev.sandboxer/boxd/internal/auth"
	"dev.sandboxer/boxd/internal/frames"
	"dev.sandboxer/boxd/internal/problem"
	"dev.sandboxer/boxd/internal/web"
)

const (
	binaryProtocol = "sandboxer.v1.binary"
	authTime       = 5 * time.Second
	authBytes      = 16 << 10
	startTime      = 60 * time.Second
)

var processID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// socket runs one command over one WebSocket.
func (r *Runner) socket(c *web.Call) error {
	if !strings.EqualFold(c.R.Header.Get("Upgrade"), "websocket") {
		return problem.New(problem.Validation, "%s is a WebSocket; ask for it with Upgrade: websocket", c.R.URL.Path)
	}
	conn, err := websocket.Accept(c.W, c.R, &websocket.AcceptOptions{Subprotocols: []string{binaryProtocol}})
	if err != nil {
		return nil // Accept has answered
	}
	defer conn.CloseNow()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s := &session{runner: r, conn: conn, ctx: ctx, cancel: cancel, binary: conn.Subprotocol() == binaryProtocol}
	if len(c.R.Header["Authorization"]) == 0 && !s.authenticate(c) {
		return nil
	}
	conn.SetReadLimit(r.limits.MaxJSONBytes)
	s.serve()
	return nil
}

// authenticate takes the token from the first frame.
func (s *session) authenticate(c *web.Call) bool {
	s.conn.SetReadLimit(authBytes)
	ctx, cancel := context.WithTimeout(s.ctx, authTime)
	defer cancel()
	kind, raw, err := s.conn.Read(ctx)
	if err != nil {
		return false
	}
	grant, err := c.Authenticate(firstToken(kind, raw), auth.Exec)
	if err != nil {
		s.fail(err)
		_ = s.conn.Close(websocket.StatusPolicyViolation, "not authenticated")
		return false
	}
	return s.send(frames.AuthOK(grant.Capabilities)) == nil
}

func firstToken(kind websocket.MessageType, raw []byte) string {
	if kind != websocket.MessageText {
		return ""
	}
	frame, err := frames.ParseText(raw)
	if first, ok := frame.(frames.Auth); ok && err == nil {
		return first.Token
	}
	return ""
}

func (s *session) send(frame []byte) error {
	return s.conn.Write(s.ctx, websocket.MessageText, frame)
}

func (s *session) sendBinary(frame []byte) error {
	return s.conn.Write(s.ctx, websocket.MessageBinary, frame)
}

func (s *session) fail(err error) {
	var known *problem.Error
	if !errors.As(err, &known) {
		known = problem.New(problem.Internal, "%v", err)
	}
	_ = s.send(frames.Failure(known))
}

// read returns the next good frame, answering bad ones with an error frame; nil when the connection is gone.
func (s *session) read(ctx context.Context) any {
	for {
		kind, raw, err := s.conn.Read(ctx)
		if err != nil {
			return nil
		}
		frame, err := s.parse(kind, raw)
		if err == nil {
			return frame
		}
		s.fail(err)
	}
}

func (s *session) parse(kind websocket.MessageType, raw []byte) (any, error) {
	switch {
	case kind == websocket.MessageText:
		return frames.ParseText(raw)
	case s.binary:
		return frames.ParseBinary(raw)
	}
	return nil, problem.New(problem.Validation, "binary frames need the subprotocol %s", binaryProtocol)
}

// alive pings: a peer that closed while its input was not being read is only seen by writing. No answer in time is no proof
// of death, since nobody reads the answer now.
func (s *session) alive() bool {
	ctx, cancel := context.WithTimeout(s.ctx, 50*time.Millisecond)
	defer cancel()
	err := s.conn.Ping(ctx)
	return s.ctx.Err() == nil && (err == nil || errors.Is(err, context.DeadlineExceeded))
}
