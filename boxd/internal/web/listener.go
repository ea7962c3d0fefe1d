package web

import (
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"dev.sandboxer/boxd/internal/problem"
)

const (
	refusalTime = 500 * time.Millisecond
	maxRefusals = 16 // at once; further connections are closed without a word
)

// LimitConnections answers connections beyond limit with an error of their own, instead of leaving them in the dark. Each connection is
// given out as secure returns it.
func LimitConnections(inner net.Listener, limit func() int, secure func(net.Conn) net.Conn) net.Listener {
	return &limitedListener{Listener: inner, limit: limit, secure: secure}
}

type limitedListener struct {
	net.Listener
	limit    func() int
	secure   func(net.Conn) net.Conn
	open     atomic.Int64
	refusals atomic.Int64
}

func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if l.open.Add(1) <= int64(l.limit()) {
			return l.secure(&countedConn{Conn: conn, open: &l.open}), nil
		}
		l.open.Add(-1)
		go l.refuse(conn)
	}
}

func (l *limitedListener) refuse(conn net.Conn) {
	defer conn.Close()
	defer l.refusals.Add(-1)
	if l.refusals.Add(1) > maxRefusals {
		return
	}
	id := NewID("req_")
	e := problem.New(problem.ConnectionLimit, "more than %d connections are open (limits.connections of the profile); close some and try again", l.limit())
	body := e.Body(id)
	_ = conn.SetDeadline(time.Now().Add(refusalTime))
	secured := l.secure(conn)
	_, _ = fmt.Fprintf(secured, "HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/problem+json\r\n"+
		"Content-Length: %d\r\nX-Request-Id: %s\r\nConnection: close\r\n\r\n%s", len(body), id, body)
	if half, ok := secured.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
	_, _ = io.Copy(io.Discard, secured) // closing before its request is read would throw the answer away
}

type countedConn struct {
	net.Conn
	open *atomic.Int64
	once sync.Once
}

func (c *countedConn) Close() error {
	c.once.Do(func() { c.open.Add(-1) })
	return c.Conn.Close()
}

// CloseWrite lets net/http end a connection softly, so that an early refusal still reaches a client in the middle of its body.
func (c *countedConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
