package ports

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"dev.sandboxer/boxd/internal/problem"
	"dev.sandboxer/boxd/internal/web"
)

const (
	maxReplyHead = 64 << 10
	headTime     = 60 * time.Second // until a program inside answers with its head
	proxyIdle    = 30 * time.Second
	proxyBuffer  = 32 << 10
)

// outcome is where the proxy puts what went wrong before the head was sent.
type outcome struct {
	port int
	err  error
}

type outcomeKey struct{}

func isWebSocket(r *http.Request) bool {
	return strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
}

// forward passes the request on as it is, but for its credential and what belongs to the connection alone.
func (r *routes) forward(c *web.Call, port int) error {
	if c.R.Method == http.MethodConnect {
		return problem.New(problem.MethodNotAllowed, "CONNECT is not passed on; use the WebSocket /v1/ports/%d/tcp", port)
	}
	if c.R.Header.Get("Upgrade") != "" && !isWebSocket(c.R) {
		return problem.New(problem.Validation, "Upgrade %.40q is not passed on, only websocket is", c.R.Header.Get("Upgrade"))
	}
	prefix := "/v1/ports/" + strconv.Itoa(port)
	rest, inPlace := strings.CutPrefix(c.R.URL.EscapedPath(), prefix)
	if !inPlace {
		return problem.New(problem.Validation, "the path must begin with %s as it stands, without escapes", prefix)
	}
	result := &outcome{port: port}
	request := c.R.WithContext(context.WithValue(c.R.Context(), outcomeKey{}, result))
	target := *c.R.URL
	target.Scheme, target.Host = "http", "localhost:"+strconv.Itoa(port)
	target.RawPath = rest
	var err error
	if target.Path, err = url.PathUnescape(rest); err != nil {
		return problem.New(problem.Validation, "the path cannot be read: %v", err)
	}
	request.URL = &target
	c.W.Header().Del("X-Request-Id") // the program's reply is its own
	r.proxy.ServeHTTP(c.W, request)
	if result.err != nil {
		c.W.Header().Set("X-Request-Id", c.ID)
		return r.unreachable(port, result.err)
	}
	return nil
}

func newProxy(dial func(context.Context, int) (net.Conn, error)) http.Handler {
	transport := &http.Transport{
		DialContext: func(ctx context.Context, _, address string) (net.Conn, error) {
			_, port, err := net.SplitHostPort(address)
			if err != nil {
				return nil, err
			}
			number, err := strconv.Atoi(port)
			if err != nil {
				return nil, err
			}
			return dial(ctx, number)
		},
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxReplyHead,
		ResponseHeaderTimeout:  headTime,
		MaxIdleConns:           16,
		MaxIdleConnsPerHost:    4,
		IdleConnTimeout:        proxyIdle,
		Protocols:              onlyHTTP1(),
	}
	return &httputil.ReverseProxy{
		Rewrite:       rewrite,
		Transport:     transport,
		FlushInterval: -1,
		BufferPool:    buffers{},
		ErrorLog:      log.New(io.Discard, "", 0), // it would print what programs answer
		ErrorHandler: func(_ http.ResponseWriter, r *http.Request, err error) {
			if result, ok := r.Context().Value(outcomeKey{}).(*outcome); ok && !errors.Is(err, context.Canceled) {
				result.err = err
			}
		},
	}
}

func onlyHTTP1() *http.Protocols {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return protocols
}

// rewrite keeps the query as it was sent, and the token away from the program. Forwarding headers that the relay made are kept.
func rewrite(p *httputil.ProxyRequest) {
	p.Out.URL.RawQuery = p.In.URL.RawQuery
	p.Out.Host = p.In.URL.Host
	p.Out.Header.Del("Authorization")
	for _, name := range []string{"X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"} {
		if values, sent := p.In.Header[name]; sent {
			p.Out.Header[name] = values
		}
	}
}

var pool = sync.Pool{New: func() any { return new([proxyBuffer]byte) }}

// buffers lends the pieces in which bodies are copied.
type buffers struct{}

func (buffers) Get() []byte { return pool.Get().(*[proxyBuffer]byte)[:] }

func (buffers) Put(buffer []byte) { pool.Put((*[proxyBuffer]byte)(buffer)) }
