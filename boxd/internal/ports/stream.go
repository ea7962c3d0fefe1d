package ports

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"

	"dev.sandboxer/boxd/internal/auth"
	"dev.sandboxer/boxd/internal/problem"
	"dev.sandboxer/boxd/internal/socket"
	"dev.sandboxer/boxd/internal/web"
)

const endOfStream = `{"type":"eof"}`

// stream is a connection to the port as binary messages. A text message {"type":"eof"} says that one side sends nothing more.
func (r *routes) stream(c *web.Call, port int) error {
	conn := socket.Accept(c, auth.Port, r.limits.Get().JSONBytes)
	if conn == nil {
		return nil
	}
	defer conn.Drop()
	inside, err := r.dial(conn.Context(), port)
	if err != nil {
		conn.Fail(r.unreachable(port, err))
		conn.Close()
		return nil
	}
	defer inside.Close()
	ctx, gone := context.WithCancel(conn.Context())
	defer gone()
	stop := context.AfterFunc(ctx, func() { _ = inside.Close() })
	defer stop()
	inwards := make(chan struct{})
	go func() {
		defer close(inwards)
		if !toInside(ctx, conn, inside) {
			gone()
		}
	}()
	if !toClient(conn, inside) {
		return nil
	}
	<-inwards
	conn.Close()
	return nil
}

// toInside returns true once the client has said that nothing more comes, false when it has gone.
func toInside(ctx context.Context, conn *socket.Conn, inside net.Conn) bool {
	for {
		data, text, err := conn.ReadRaw(ctx)
		switch {
		case errors.Is(err, socket.ErrGone):
			return false
		case err != nil:
			conn.Fail(err)
		case text && isEnd(data):
			if half, ok := inside.(*net.TCPConn); ok {
				_ = half.CloseWrite()
			}
			return true
		case text:
			conn.Fail(problem.New(problem.Validation, "a text frame on a raw stream must be %s; send data as binary frames", endOfStream))
		default:
			if _, err := inside.Write(data); err != nil {
				return true // what it still says is on its way to the client
			}
		}
	}
}

func isEnd(frame []byte) bool {
	var head struct {
		Type string `json:"type"`
	}
	return json.Unmarshal(frame, &head) == nil && head.Type == "eof"
}

// toClient returns true once the program has sent all, false when the client has gone.
func toClient(conn *socket.Conn, inside net.Conn) bool {
	buffer := pool.Get().(*[proxyBuffer]byte)
	defer pool.Put(buffer)
	for {
		n, err := inside.Read(buffer[:])
		if n > 0 && conn.SendBinary(buffer[:n]) != nil {
			return false
		}
		switch {
		case errors.Is(err, io.EOF):
			return conn.Send([]byte(endOfStream)) == nil
		case err != nil:
			conn.Close()
			return false
		}
	}
}
