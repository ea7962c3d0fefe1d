package files

import (
	"io"
	"net/http"

	"dev.sandboxer/boxd/internal/threads"
	"dev.sandboxer/boxd/internal/web"
)

// turns bounds the requests that work on files at once, so that they do not need more threads than boxd has.
// A request has its turn while it works, and lets others work while it waits for its client.
type turns chan struct{}

func newTurns() turns { return make(turns, threads.Blocking) }

func (t turns) begin() { t <- struct{}{} }

func (t turns) end() { <-t }

func (t turns) each(handle func(*web.Call) error) func(*web.Call) error {
	return func(c *web.Call) error {
		t.begin()
		body, writer := c.R.Body, c.W
		c.R.Body, c.W = &patientBody{body, t}, &patientWriter{writer, t}
		defer func() { // what is written from here on, such as an error, is in no turn
			c.R.Body, c.W = body, writer
			t.end()
		}()
		return handle(c)
	}
}

type patientBody struct {
	io.ReadCloser
	turns turns
}

func (p *patientBody) Read(into []byte) (int, error) {
	p.turns.end()
	defer p.turns.begin()
	return p.ReadCloser.Read(into)
}

type patientWriter struct {
	http.ResponseWriter
	turns turns
}

func (p *patientWriter) Write(data []byte) (int, error) {
	p.turns.end()
	defer p.turns.begin()
	return p.ResponseWriter.Write(data)
}

// Unwrap lets an http.ResponseController reach the connection.
func (p *patientWriter) Unwrap() http.ResponseWriter { return p.ResponseWriter }
