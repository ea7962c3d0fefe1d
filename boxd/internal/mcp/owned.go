package mcp

import (
	"context"
	"encoding/json"
	"sync"

	"dev.sandboxer/boxd/internal/managed"
)

// owned is a session's own process: its messages pass as they are.
type owned struct {
	session *session
	link    *link
	left    func(why string) // the process has ended

	mu     sync.Mutex
	tokens map[string]json.RawMessage // progress token to the id of its request
}

func startOwned(processes *managed.Registry, name string, spec managed.Spec, limit func() int64, s *session, left func(string)) (*owned, error) {
	o := &owned{session: s, left: left, tokens: map[string]json.RawMessage{}}
	l, err := open(processes, name, spec, limit, o)
	if err != nil {
		return nil, err
	}
	o.link = l
	return o, nil
}

func (o *owned) request(ctx context.Context, m message) error {
	if token := m.progressToken(); token != nil {
		o.mu.Lock()
		if len(o.tokens) >= mostPending { // of requests that were answered since
			clear(o.tokens)
		}
		o.tokens[string(token)] = m.ID
		o.mu.Unlock()
	}
	return o.link.send(ctx, m.line())
}

func (o *owned) notify(ctx context.Context, m message) error {
	if err := o.link.send(ctx, m.line()); err != nil {
		return err
	}
	if m.is("notifications/cancelled") {
		o.session.forget(object(m.Params)["requestId"])
	}
	return nil
}

func (o *owned) respond(ctx context.Context, m message) error { return o.link.send(ctx, m.line()) }

func (o *owned) leave() { o.link.end() }

func (o *owned) state() string { return o.link.state() }

func (o *owned) began() {}

func (o *owned) ended(why string) { o.left(why) }

func (o *owned) received(line []byte, m message) {
	switch {
	case m.isResponse():
		o.session.respond(m)
	case m.is("notifications/progress"):
		o.mu.Lock()
		id := o.tokens[string(object(m.Params)["progressToken"])]
		o.mu.Unlock()
		o.session.during(id, line)
	default:
		o.session.tell(line)
	}
}

func (o *owned) tooLong(id json.RawMessage) { o.session.respond(tooLong(id)) }
