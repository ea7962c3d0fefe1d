package mcp

import (
	"encoding/json"
	"sync"
	"time"

	"dev.sandboxer/boxd/internal/budget"
	"dev.sandboxer/boxd/internal/problem"
)

// general is the stream of what belongs to no request: the one that a client opens with GET.
const general = 0

// first is the stream of initialize.
const first = 1

// mostPending is how many requests of one session may wait for their response.
const mostPending = 64

// session is one client's. All that goes to the client stands in a log, from which its streams are read: so a client that was cut off goes
// on where it was. The oldest part of the log gives way when it is full.
type session struct {
	id     string
	memory *budget.Budget
	size   func() int64
	idle   time.Duration
	end    func() // when it was unused for so long

	mu      sync.Mutex
	log     []event
	bytes   int64
	next    int64 // the number of the next event
	opened  int64 // streams so far
	streams map[int64]*stream
	pending map[string]int64 // the client's id of a request, to its stream
	changed chan struct{}    // closed at the next change
	refused bool             // initialize was
	over    bool
	readers int
	expiry  *time.Timer
}

// event is a message on its way to the client.
type event struct {
	number int64
	stream int64
	data   []byte
	held   int64 // bytes of the memory's budget
}

// stream is what one request, or a GET, is answered with.
type stream struct {
	events  int   // in the log
	reader  int64 // who reads it: the newest
	reading bool
	done    bool // nothing more comes
}

func newSession(id string, memory *budget.Budget, size func() int64, idle time.Duration, end func()) *session {
	s := &session{
		id: id, memory: memory, size: size, idle: idle, end: end, next: 1,
		streams: map[int64]*stream{general: {}}, pending: map[string]int64{}, changed: make(chan struct{}),
	}
	s.expiry = time.AfterFunc(idle, s.expire)
	return s
}

// open begins the stream of a request.
func (s *session) open(id json.RawMessage) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch _, twice := s.pending[string(id)]; {
	case s.over:
		return 0, gone(s.id)
	case twice:
		return 0, problem.New(problem.InvalidState, "a request with the id %s waits for its response already", id)
	case len(s.pending) >= mostPending:
		return 0, problem.New(problem.ConnectionLimit, "%d requests of this session wait for their responses, which is the limit", mostPending)
	}
	s.opened++
	s.streams[s.opened] = &stream{}
	s.pending[string(id)] = s.opened
	return s.opened, nil
}

// respond ends a request's stream with its response; what nobody waits for is dropped.
func (s *session) respond(m message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	number, waits := s.pending[string(m.ID)]
	if !waits {
		return
	}
	delete(s.pending, string(m.ID))
	s.refused = s.refused || number == first && len(m.Error) > 0
	if !s.put(number, m.line(), true) {
		s.force(number, failure(m.ID, serverError, "the response is larger than what may be kept for a client (limits.json_bytes and limits.output_memory_bytes of the profile)").line())
	}
}

// useless says that initialize was refused.
func (s *session) useless() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refused
}

// forget ends a request's stream without a response.
func (s *session) forget(id json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	number, waits := s.pending[string(id)]
	if !waits {
		return
	}
	delete(s.pending, string(id))
	s.streams[number].done = true
	s.wake()
}

// during sends what belongs to a request that waits.
func (s *session) during(id json.RawMessage, line []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if number, waits := s.pending[string(id)]; waits {
		_ = s.put(number, line, false)
	}
}

// tell sends what belongs to no request: to the general stream where the client reads it, else to the newest that it reads.
func (s *session) tell(line []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return
	}
	number := int64(general)
	if !s.streams[general].reading {
		for _, waits := range s.pending {
			number = max(number, waits)
		}
	}
	_ = s.put(number, line, false)
}

// put appends to the log, which loses its oldest part for it; false if there is no room even so.
func (s *session) put(number int64, line []byte, last bool) bool {
	size := int64(len(line))
	for s.bytes+size > s.size() || !s.memory.Take(size) {
		if len(s.log) == 0 {
			return false
		}
		s.drop()
	}
	s.append(number, line, size, last)
	return true
}

// force appends the short last line of a stream, which takes nothing of the budget.
func (s *session) force(number int64, line []byte) { s.append(number, line, 0, true) }

func (s *session) append(number int64, line []byte, held int64, last bool) {
	s.log = append(s.log, event{s.next, number, line, held})
	s.next++
	s.bytes += held
	s.streams[number].events++
	s.streams[number].done = s.streams[number].done || last
	s.wake()
}

// drop takes the oldest event out of the log, and a stream with its last one.
func (s *session) drop() {
	oldest := s.log[0]
	s.log[0] = event{}
	s.log = s.log[1:]
	s.bytes -= oldest.held
	s.memory.Give(oldest.held)
	s.streams[oldest.stream].events--
	s.tidy(oldest.stream)
}

// tidy forgets a stream that has nothing more to give.
func (s *session) tidy(number int64) {
	if of := s.streams[number]; number != general && of.done && of.events == 0 && !of.reading {
		delete(s.streams, number)
	}
}

func (s *session) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// close ends the session: what waits is answered with the reason, and what was sent can still be read by those who read now.
func (s *session) close(why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return
	}
	s.over = true
	s.expiry.Stop()
	s.answerAll(why)
	s.memory.Give(s.bytes)
	s.bytes = 0
	s.wake()
}

// failAll answers all that waits with the reason.
func (s *session) failAll(why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answerAll(why)
}

func (s *session) answerAll(why string) {
	for id, number := range s.pending {
		s.force(number, failure(json.RawMessage(id), serverError, why).line())
	}
	clear(s.pending)
}

// enter and leave are called around each request of the client: without one for a while, the session ends.
func (s *session) enter() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readers++
	s.expiry.Stop()
}

func (s *session) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.readers--; s.readers == 0 && !s.over {
		s.expiry.Reset(s.idle)
	}
}

func (s *session) expire() {
	s.mu.Lock()
	idle := s.readers == 0 && !s.over
	s.mu.Unlock()
	if idle {
		s.end()
	}
}

// view reads a stream from an event on.
type view struct {
	session *session
	number  int64
	reader  int64
	after   int64
}

// read begins to read a stream after an event; whoever read it before is cut off. False if nothing of it is kept.
func (s *session) read(number, after int64) (*view, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	of, there := s.streams[number]
	if !there || s.over {
		return nil, false
	}
	of.reader++
	of.reading = true
	s.wake()
	return &view{s, number, of.reader, after}, true
}

// poll returns the next event, or what to wait for; neither at the stream's end.
func (v *view) poll() (found *event, wait <-chan struct{}) {
	s := v.session
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.streams[v.number]
	if of.reader != v.reader {
		return nil, nil
	}
	for i := max(0, v.after+1-s.oldest()); i < int64(len(s.log)); i++ {
		if e := s.log[i]; e.stream == v.number {
			v.after = e.number
			return &e, nil
		}
	}
	if of.done || s.over {
		return nil, nil
	}
	return nil, s.changed
}

// oldest is the number of the oldest event in the log.
func (s *session) oldest() int64 { return s.next - int64(len(s.log)) }

func (v *view) close() {
	s := v.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if of := s.streams[v.number]; of != nil && of.reader == v.reader {
		of.reading = false
		s.tidy(v.number)
	}
}

func gone(id string) error {
	return problem.New(problem.NotFound, "there is no MCP session %.80q any more; send initialize again without Mcp-Session-Id", id)
}
