package images

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// progress prints a line about what was reached, at most one a second. The platform waits on as long as they come.
type progress struct {
	mu     sync.Mutex
	out    io.Writer
	total  int64
	done   int64
	number int
	of     int
	last   time.Time
}

func (p *progress) layer(number, of int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.number, p.of = number, of
	p.say()
}

func (p *progress) watch(from io.Reader) io.Reader { return &watched{from, p} }

func (p *progress) read(bytes int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += int64(bytes)
	if bytes > 0 && time.Since(p.last) > time.Second {
		p.say()
	}
}

func (p *progress) say() {
	p.last = time.Now()
	if p.of == 0 {
		_, _ = fmt.Fprintf(p.out, "progress=%s of %s\n", megabytes(p.done), megabytes(p.total))
		return
	}
	_, _ = fmt.Fprintf(p.out, "progress=layer %d of %d, %s of %s\n", p.number, p.of, megabytes(p.done), megabytes(p.total))
}

type watched struct {
	from io.Reader
	to   *progress
}

func (w *watched) Read(into []byte) (int, error) {
	n, err := w.from.Read(into)
	w.to.read(n)
	return n, err
}
