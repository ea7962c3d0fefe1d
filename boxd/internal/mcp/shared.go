package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"sync"
	"time"

	"dev.sandboxer/boxd/internal/managed"
)

// shared is a process that many sessions use. boxd is its one MCP client: it initializes each run once, gives every request an id and a
// progress token of its own, and answers what the server asks, since nobody can say which session is meant.
type shared struct {
	link     *link
	patience time.Duration // with its start and its answer to initialize
	replies  chan message  // to what the server asks

	mu       sync.Mutex
	sessions map[*session]struct{}
	version  string // of the protocol, as the first session asked
	run      *processRun
	last     int64 // the last id
	waiting  map[int64]waiter
}

// processRun is one of the process's, from its begin to its end.
type processRun struct {
	begun  chan struct{} // closed when the process runs
	asked  bool
	answer chan message  // to initialize
	known  chan struct{} // closed when one of the two below is known
	result json.RawMessage
	why    error
}

func newRun() *processRun {
	return &processRun{begun: make(chan struct{}), answer: make(chan message, 1), known: make(chan struct{})}
}

// waiter is who sent a request: a session under its own id and token, or boxd itself.
type waiter struct {
	session *session
	id      json.RawMessage
	token   json.RawMessage
	run     *processRun
}

func startShared(processes *managed.Registry, name string, spec managed.Spec, patience time.Duration, limit func() int64) (*shared, error) {
	h := &shared{patience: patience, replies: make(chan message, mostReplies), sessions: map[*session]struct{}{}, run: newRun(), waiting: map[int64]waiter{}}
	h.mu.Lock() // its first news wait until the link is known
	defer h.mu.Unlock()
	l, err := open(processes, name, spec, limit, h)
	if err != nil {
		return nil, err
	}
	h.link = l
	go h.reply()
	return h, nil
}

// of is the shared process as one session sees it.
type of struct {
	*shared
	session *session
}

func (h *shared) join(s *session) of {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sessions[s] = struct{}{}
	return of{h, s}
}

func (o of) leave() {
	o.mu.Lock()
	delete(o.sessions, o.session)
	var mine []int64
	for id, w := range o.waiting {
		if w.session == o.session {
			mine = append(mine, id)
			delete(o.waiting, id)
		}
	}
	o.mu.Unlock()
	for _, id := range mine {
		o.cancel(id)
	}
}

// cancel tells the server that nobody waits for a request any more.
func (h *shared) cancel(id int64) {
	h.later(message{Method: "notifications/cancelled", Params: encoded(map[string]int64{"requestId": id})})
}

func (o of) request(ctx context.Context, m message) error {
	if m.is("initialize") {
		return o.initialize(ctx, m)
	}
	r, err := o.ready(ctx, "")
	if err != nil {
		return err
	}
	w := waiter{session: o.session, id: m.ID, token: m.progressToken(), run: r}
	id, runs := o.wait(w)
	if !runs {
		return errors.New(o.link.whyNot())
	}
	m.ID = number(id)
	if w.token != nil {
		m = m.withProgressToken(m.ID)
	}
	if err := o.link.send(ctx, m.line()); err != nil {
		_, _ = o.take(m.ID)
		return err
	}
	return nil
}

// wait gives the id under which the response will come, unless the run is over.
func (h *shared) wait(w waiter) (int64, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if w.run != h.run {
		return 0, false
	}
	h.last++
	h.waiting[h.last] = w
	return h.last, true
}

func number(id int64) json.RawMessage { return strconv.AppendInt(nil, id, 10) }

// initialize answers with what the server said when boxd initialized it.
func (o of) initialize(ctx context.Context, m message) error {
	var asked struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	_ = json.Unmarshal(m.Params, &asked)
	r, err := o.ready(ctx, asked.ProtocolVersion)
	if err != nil {
		return err
	}
	o.session.respond(message{ID: m.ID, Result: r.result})
	return nil
}

// ready waits until a run of the server is initialized.
func (h *shared) ready(ctx context.Context, version string) (*processRun, error) {
	ctx, done := context.WithTimeout(ctx, h.patience)
	defer done()
	h.mu.Lock()
	if h.version == "" {
		h.version = version
	}
	r := h.run
	h.mu.Unlock()
	select {
	case <-r.begun:
	case <-r.known:
	case <-h.link.done():
		return nil, errors.New(h.link.whyNot())
	case <-ctx.Done():
		return nil, errors.New(h.link.whyNot())
	}
	h.ask(r)
	select {
	case <-r.known:
		return r, r.why
	case <-ctx.Done():
		return nil, h.problem("has not answered initialize yet")
	}
}

func (h *shared) problem(what string) error {
	return errors.New("MCP server " + strconv.Quote(h.link.name) + " " + what)
}

// ask initializes a run, once.
func (h *shared) ask(r *processRun) {
	h.mu.Lock()
	asked := r.asked
	r.asked = true
	version := h.version
	h.mu.Unlock()
	if !asked {
		go h.initialized(r, version)
	}
}

func (h *shared) initialized(r *processRun, version string) {
	id, runs := h.wait(waiter{run: r})
	if !runs {
		return // and is known
	}
	if version == "" {
		version = newest
	}
	ctx, done := context.WithTimeout(h.link.ctx, h.patience)
	defer done()
	_ = h.link.send(ctx, message{ID: number(id), Method: "initialize", Params: encoded(map[string]any{
		"protocolVersion": version, "capabilities": struct{}{}, "clientInfo": map[string]string{"name": "sandboxer", "version": "1"},
	})}.line())
	select {
	case <-r.known:
	case m := <-r.answer:
		if len(m.Error) > 0 {
			h.know(r, nil, h.problem("refuses initialize: "+string(m.Error)))
			return
		}
		_ = h.link.send(ctx, message{Method: "notifications/initialized"}.line())
		h.know(r, m.Result, nil)
	case <-ctx.Done():
		h.know(r, nil, h.problem("did not answer initialize within "+h.patience.String()+"; it is started again"))
		h.link.kill()
	}
}

// newest is the newest version of the protocol with sessions, which servers know best.
const newest = "2025-11-25"

func (h *shared) know(r *processRun, result json.RawMessage, why error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case <-r.known:
	default:
		r.result, r.why = result, why
		close(r.known)
	}
}

func (o of) notify(ctx context.Context, m message) error {
	switch m.Method {
	case "notifications/initialized", "notifications/progress", "notifications/roots/list_changed": // boxd said it, or nobody asked
		return nil
	case "notifications/cancelled":
		o.cancelled(object(m.Params)["requestId"])
		return nil
	}
	if _, err := o.ready(ctx, ""); err != nil {
		return err
	}
	return o.link.send(ctx, m.line())
}

func (o of) cancelled(id json.RawMessage) {
	o.mu.Lock()
	var theirs int64
	for number, w := range o.waiting {
		if w.session == o.session && string(w.id) == string(id) {
			theirs = number
			delete(o.waiting, number)
		}
	}
	o.mu.Unlock()
	o.session.forget(id)
	if theirs != 0 {
		o.cancel(theirs)
	}
}

// respond has nothing to do: the server's requests were answered by boxd.
func (o of) respond(context.Context, message) error { return nil }

func (h *shared) end() { h.link.end() }

func (h *shared) state() string { return h.link.state() }

func (h *shared) began() {
	h.mu.Lock()
	defer h.mu.Unlock()
	close(h.run.begun)
}

// ended answers what waits for the run that is over; the sessions go on with the next one.
func (h *shared) ended(why string) {
	h.mu.Lock()
	over, waiting := h.run, h.waiting
	h.run, h.waiting = newRun(), map[int64]waiter{}
	h.mu.Unlock()
	h.know(over, nil, errors.New(why))
	for _, w := range waiting {
		if w.session != nil {
			w.session.respond(failure(w.id, serverError, why))
		}
	}
}

func (h *shared) received(line []byte, m message) {
	switch {
	case m.isResponse():
		h.answered(m)
	case m.isRequest():
		h.answer(m)
	case m.is("notifications/progress"):
		h.progress(m)
	case m.is("notifications/cancelled"):
	default:
		h.mu.Lock()
		defer h.mu.Unlock()
		for s := range h.sessions {
			s.tell(line)
		}
	}
}

func (h *shared) answered(m message) {
	w, waits := h.take(m.ID)
	switch {
	case !waits:
	case w.session != nil:
		m.ID = w.id
		w.session.respond(m)
	default:
		w.run.answer <- m
	}
}

func (h *shared) take(raw json.RawMessage) (waiter, bool) {
	id, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		return waiter{}, false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	w, waits := h.waiting[id]
	delete(h.waiting, id)
	return w, waits
}

// answer is for what the server asks of its client.
func (h *shared) answer(m message) {
	if m.is("ping") {
		h.later(message{ID: m.ID, Result: json.RawMessage("{}")})
		return
	}
	h.later(failure(m.ID, methodNotFound, "a shared MCP server cannot ask one of its clients; declare it as owned"))
}

// mostReplies wait while the server does not read; what is beyond them is dropped.
const mostReplies = 64

// later does not wait: the server may not read before we have read what it writes.
func (h *shared) later(m message) {
	select {
	case h.replies <- m:
	default:
	}
}

func (h *shared) reply() {
	for {
		select {
		case m := <-h.replies:
			_ = h.link.send(h.link.ctx, m.line())
		case <-h.link.ctx.Done():
			return
		}
	}
}

func (h *shared) progress(m message) {
	fields := object(m.Params)
	id, err := strconv.ParseInt(string(fields["progressToken"]), 10, 64)
	if err != nil {
		return
	}
	h.mu.Lock()
	w, waits := h.waiting[id]
	h.mu.Unlock()
	if !waits || w.token == nil || w.session == nil {
		return
	}
	fields["progressToken"] = w.token
	m.Params = encoded(fields)
	w.session.during(w.id, m.line())
}

func (h *shared) tooLong(id json.RawMessage) {
	if w, waits := h.take(id); waits && w.session != nil {
		w.session.respond(tooLong(w.id))
	} else if waits {
		h.know(w.run, nil, h.problem("answers initialize with too long a line"))
	}
}

func tooLong(id json.RawMessage) message {
	return failure(id, serverError, "the server's response is longer than a message may be (limits.json_bytes of the profile)")
}
