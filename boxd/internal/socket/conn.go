// Package socket is a client's WebSocket: its token, its frames in, our frames out.
package socket

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/coder/websocket"

	"dev.sandboxer/boxd/internal/frames"
	"dev.sandboxer/boxd/internal/problem"
	"dev.sandboxer/boxd/internal/web"
)

const (
	binaryProtocol = "sandboxer.v1.binary"
	textProtocol   = "sandboxer.v1.json" // a name for the text frames, for browsers that must choose one
	authTime       = 5 * time.Second
	authBytes      = 16 << 10
	pingTime       = 5 * time.Second
)

// Conn is one WebSocket. Its context ends with the connection, and when its token is revoked.
type Conn struct {
	ws         *websocket.Conn
	call       *web.Call
	capability string
	limit      int64
	ctx        context.Context
	cancel     context.CancelFunc
	binary     bool
}

// Want is an error for a request that asks for no WebSocket.
func Want(c *web.Call) error {
	if !strings.EqualFold(c.R.Header.Get("Upgrade"), "websocket") {
		return problem.New(problem.Validation, "%s is a WebSocket; ask for it with Upgrade: websocket", c.R.URL.Path)
	}
	return nil
}

// Accept answers the handshake and takes the token from the first frame, if the headers had none. Without a good one, or on a bad
// handshake, it has answered and returns nil.
func Accept(c *web.Call, capability string, frameBytes int64) *Conn {
	ws, err := websocket.Accept(c.W, c.R, &websocket.AcceptOptions{Subprotocols: []string{binaryProtocol, textProtocol}})
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithCancel(c.R.Context())
	conn := &Conn{ws, c, capability, frameBytes, ctx, cancel, ws.Subprotocol() == binaryProtocol}
	ws.SetReadLimit(-1) // readFrame has the limit: too large a frame is an error, not the end
	if len(c.R.Header["Authorization"]) == 0 && !conn.authenticate() {
		conn.Drop()
		return nil
	}
	return conn
}

// Drop ends the connection without another word.
func (c *Conn) Drop() {
	c.cancel()
	_ = c.ws.CloseNow()
}

// Close says goodbye.
func (c *Conn) Close() { _ = c.ws.Close(websocket.StatusNormalClosure, "") }

// Context ends with the connection.
func (c *Conn) Context() context.Context { return c.ctx }

// authenticate takes the token from the first frame.
func (c *Conn) authenticate() bool {
	ctx, cancel := context.WithTimeout(c.ctx, authTime)
	defer cancel()
	kind, raw, err := c.readFrame(ctx, authBytes)
	if err != nil && raw == nil {
		return false
	}
	if err := c.renew(firstToken(kind, raw)); err != nil {
		c.Fail(err)
		_ = c.ws.Close(websocket.StatusPolicyViolation, "not authenticated")
		return false
	}
	return true
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

func (c *Conn) renew(token string) error {
	grant, err := c.call.Authenticate(token, c.capability)
	if err != nil {
		return err
	}
	return c.Send(frames.AuthOK(grant.Capabilities))
}

// Send writes a text frame.
func (c *Conn) Send(frame []byte) error {
	return c.ws.Write(c.ctx, websocket.MessageText, frame)
}

// SendBinary writes a binary frame.
func (c *Conn) SendBinary(frame []byte) error {
	return c.ws.Write(c.ctx, websocket.MessageBinary, frame)
}

// Output makes a writer of a stream from offset on, in the form that the client chose.
func (c *Conn) Output(stream frames.Stream, offset int64) frames.Writer {
	if c.binary {
		return frames.Binary(stream, c.SendBinary)
	}
	return frames.Text(stream, offset, c.Send)
}

// Fail writes an error frame.
func (c *Conn) Fail(err error) {
	var known *problem.Error
	if !errors.As(err, &known) {
		known = problem.New(problem.Internal, "%v", err)
	}
	_ = c.Send(frames.Failure(known))
}

// Read returns the next frame that is for the command: Start, Stdin, Signal, Resize or Close; nil when the connection is gone. It
// answers pings, further tokens and bad frames by itself.
func (c *Conn) Read(ctx context.Context) any {
	for {
		kind, raw, err := c.readFrame(ctx, c.limit)
		if err == nil {
			frame, parseErr := c.parse(kind, raw)
			if parseErr == nil {
				return frame
			}
			err = parseErr
		} else if raw == nil {
			return nil
		}
		if !errors.Is(err, errAnswered) {
			c.Fail(err)
		}
	}
}

var errAnswered = errors.New("answered")

// ErrGone says that the connection is no longer there.
var ErrGone = errors.New("the connection is gone")

// ReadRaw returns the next frame's bytes, and whether it is text. An error other than ErrGone is for the client, who may go on.
func (c *Conn) ReadRaw(ctx context.Context) (data []byte, text bool, err error) {
	kind, raw, err := c.readFrame(ctx, c.limit)
	if err != nil && raw == nil {
		return nil, false, ErrGone
	}
	return raw, kind == websocket.MessageText, err
}

// readFrame returns no bytes when the connection is gone, and some with an error for a frame beyond limit.
func (c *Conn) readFrame(ctx context.Context, limit int64) (websocket.MessageType, []byte, error) {
	kind, reader, err := c.ws.Reader(ctx)
	if err != nil {
		return 0, nil, err
	}
	raw, err := io.ReadAll(io.LimitReader(reader, limit+1))
	if err != nil {
		return 0, nil, err
	}
	if int64(len(raw)) <= limit {
		return kind, raw, nil
	}
	if _, err := io.Copy(io.Discard, reader); err != nil {
		return 0, nil, err
	}
	return kind, raw[:0], problem.New(problem.TooLarge, "the frame is over the limit of %d bytes (limits.json_bytes of the profile)", limit)
}

func (c *Conn) parse(kind websocket.MessageType, raw []byte) (any, error) {
	if kind == websocket.MessageBinary {
		if c.binary {
			return frames.ParseBinary(raw)
		}
		return nil, problem.New(problem.Validation, "binary frames need the subprotocol %s", binaryProtocol)
	}
	frame, err := frames.ParseText(raw)
	if err != nil {
		return nil, err
	}
	switch frame := frame.(type) {
	case frames.Ping:
		_ = c.Send(frames.Pong(frame.ID))
		return nil, errAnswered
	case frames.Auth:
		if err := c.renew(frame.Token); err != nil {
			return nil, err
		}
		return nil, errAnswered
	}
	return frame, nil
}

// Alive pings: a peer that closed while its input was not being read is only seen by writing. No answer in time is no proof
// of death, since nobody reads the answer now.
func (c *Conn) Alive() bool {
	pinged := make(chan error, 1)
	go func() {
		// Far longer than it is waited for: a write that its context cuts short closes the connection.
		ctx, cancel := context.WithTimeout(c.ctx, pingTime)
		defer cancel()
		pinged <- c.ws.Ping(ctx)
	}()
	select {
	case err := <-pinged:
		return c.ctx.Err() == nil && err == nil
	case <-time.After(50 * time.Millisecond):
		return c.ctx.Err() == nil
	}
}

// Route makes a WebSocket's route that may bring its token as its first frame.
func Route(path, capability string, handle func(*web.Call) error) web.Route {
	return web.Route{Method: http.MethodGet, Path: path, Capability: capability, FirstFrame: true, Handle: func(c *web.Call) error {
		if err := Want(c); err != nil {
			return err
		}
		return handle(c)
	}}
}
