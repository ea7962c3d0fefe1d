package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"dev.sandboxer/boxd/internal/frames"
	"dev.sandboxer/boxd/internal/managed"
)

// link is the one client of a server's process: it takes its lines and writes to it.
type link struct {
	name    string
	to      receiver
	limit   func() int64
	ctx     context.Context
	cancel  context.CancelFunc
	held    *managed.Attachment
	writing chan struct{} // whoever has its one place writes

	mu      sync.Mutex
	words   *lastWords
	ending  string // how the last run ended
	running bool
	ignored int64 // lines that are no messages
}

// receiver takes what comes of a process, from one goroutine.
type receiver interface {
	began()
	received(line []byte, m message)
	tooLong(id json.RawMessage)
	ended(why string)
}

// open starts the process and attaches to it before its first byte.
func open(processes *managed.Registry, name string, spec managed.Spec, limit func() int64, to receiver) (*link, error) {
	l := &link{name: name, to: to, limit: limit, writing: make(chan struct{}, 1)}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	held, err := processes.StartHeld(spec, l)
	if err != nil {
		l.cancel()
		return nil, err
	}
	l.held = held
	go func() {
		_ = held.Send(l.ctx)
		held.Detach()
		l.over()
	}()
	return l, nil
}

// Context ends when nobody wants the process's output any more.
func (l *link) Context() context.Context { return l.ctx }

// Alive is true as long as somebody does: half a line must not stay in the process's input because one client has gone.
func (l *link) Alive() bool { return l.ctx.Err() == nil }

// Output takes lines from standard output, and keeps the end of standard error.
func (l *link) Output(stream frames.Stream, _ int64) frames.Writer {
	if stream == frames.Stderr {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.words = &lastWords{}
		return &guarded{l}
	}
	return &lines{limit: l.limit, take: l.line, over: l.to.tooLong}
}

// guarded writes standard error under the link's lock.
type guarded struct{ link *link }

func (g *guarded) Write(data []byte) error {
	g.link.mu.Lock()
	defer g.link.mu.Unlock()
	return g.link.words.Write(data)
}

func (g *guarded) Skip(int64) error { return nil }

func (g *guarded) End() error { return nil }

// line passes a message on. What is none is dropped: programs print to standard output by mistake.
func (l *link) line(raw []byte) {
	m, err := parse(raw)
	if err != nil {
		l.mu.Lock()
		l.ignored++
		l.mu.Unlock()
		return
	}
	l.to.received(raw, m)
}

// Send learns where a run begins and ends.
func (l *link) Send(frame []byte) error {
	var e struct {
		Type     string  `json:"type"`
		Pid      int     `json:"pid"`
		ExitCode *int    `json:"exit_code"`
		Signal   *string `json:"signal"`
	}
	if err := json.Unmarshal(frame, &e); err != nil {
		return err
	}
	switch e.Type {
	case "ready":
		l.mu.Lock()
		l.running = true
		l.mu.Unlock()
		l.to.began()
	case "exit":
		how := "it ended"
		if e.ExitCode != nil {
			how = fmt.Sprintf("it exited with code %d", *e.ExitCode)
		} else if e.Signal != nil {
			how = "it was ended by " + *e.Signal
		}
		l.mu.Lock()
		l.running, l.ending = false, how
		l.mu.Unlock()
		l.to.ended(l.whyNot())
	}
	return nil
}

func (l *link) over() {
	l.mu.Lock()
	l.running = false
	l.mu.Unlock()
	l.to.ended(l.whyNot())
	l.cancel()
}

// done is closed when the process has ended and will not be started again.
func (l *link) done() <-chan struct{} { return l.held.Process().Done() }

// whyNot says why the process does not run.
func (l *link) whyNot() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := fmt.Sprintf("MCP server %q does not run", l.name)
	if l.ending != "" {
		text += ": " + l.ending
	}
	if l.words != nil && len(l.words.kept) > 0 {
		text += "; the end of its standard error: " + strings.ToValidUTF8(string(l.words.kept), "?")
	}
	return text
}

// state is running or restarting, or ended when it will not be started again.
func (l *link) state() string {
	select {
	case <-l.done():
		return "ended"
	default:
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.running {
		return "running"
	}
	return "restarting"
}

func (l *link) ignoredLines() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ignored
}

// send writes one line. It waits while the process does not read, as long as ctx goes on.
func (l *link) send(ctx context.Context, line []byte) error {
	select {
	case l.writing <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	case <-l.ctx.Done():
		return l.ctx.Err()
	}
	sent := make(chan error, 1)
	go func() { // to its end, also when ctx is over: half a line would spoil the next
		sent <- l.held.Write(append(line[:len(line):len(line)], '\n'))
		<-l.writing
	}()
	select {
	case err := <-sent:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// kill ends the present run; the process's spec says whether another follows.
func (l *link) kill() { _ = l.held.Process().Signal("KILL") }

// end ends the process for good.
func (l *link) end() {
	l.held.Process().End()
	l.cancel()
}
