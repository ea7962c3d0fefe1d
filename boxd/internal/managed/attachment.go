package managed

import (
	"context"
	"sync"
	"time"

	"dev.sandboxer/boxd/internal/frames"
	"dev.sandboxer/boxd/internal/problem"
	"dev.sandboxer/boxd/internal/socket"
)

const (
	attachBuffer = 32 << 10
	maxEvents    = 64
)

// event is a frame that has its place among the output: after all that came before it.
type event struct {
	frame []byte
	after frames.Offsets
	last  bool
}

// tell passes an event to every client; the lock is held.
func (p *Process) tell(e event) {
	e.after = p.offsets()
	for client := range p.clients {
		client.add(e)
	}
}

// Client is who an attachment serves.
type Client interface {
	// Context ends when the client has gone.
	Context() context.Context
	// Alive is asked while the process does not read what the client gave.
	Alive() bool
	// Output takes a stream's bytes from offset on. Its End is called where a run of the process has ended.
	Output(stream frames.Stream, offset int64) frames.Writer
	// Send takes the frames ready, gap and exit, each after all output that came before it.
	Send(frame []byte) error
}

// Attachment is a client at a process's output, and perhaps its input.
type Attachment struct {
	process *Process
	client  Client
	readers [2]*reader
	next    [2]int64 // the offset that the client expects

	mu     sync.Mutex
	events []event
	added  chan struct{}
}

// From says where a client's output begins; a nil offset is the oldest byte that is kept and was written at Since or later.
type From struct {
	Stdout, Stderr *int64
	Since          time.Time
}

// Attach joins a client to the process. Offsets beyond the output are an error.
func (p *Process) Attach(client Client, from From) (*Attachment, error) {
	a := &Attachment{process: p, client: client, added: make(chan struct{}, 1)}
	p.mu.Lock()
	defer p.mu.Unlock()
	var begins frames.Offsets
	for i, wanted := range []*int64{from.Stdout, from.Stderr} {
		oldest, end := p.rings[i].bounds()
		a.next[i] = p.rings[i].since(from.Since)
		if wanted != nil {
			a.next[i] = *wanted
		}
		if a.next[i] < 0 || a.next[i] > end {
			return nil, beyond(frames.Stream(i+1), a.next[i], end)
		}
		a.readers[i] = p.rings[i].reader(a.next[i])
		*[]*int64{&begins.Stdout, &begins.Stderr}[i] = max(a.next[i], oldest)
	}
	ready := p.ready()
	ready.Offsets = begins
	a.events = []event{{frame: ready.Encode()}}
	if !p.ended.IsZero() {
		a.events = append(a.events, event{frame: frames.Ended(*p.exit), after: p.offsets(), last: true})
	}
	p.clients[a] = struct{}{}
	return a, nil
}

func beyond(stream frames.Stream, offset, end int64) error {
	return problem.New(problem.Validation, "%s has %d bytes so far, offset %d is not among them", stream, end, offset)
}

// Claim makes this client the one who writes. Its reading holds the process back where it would lose something.
func (a *Attachment) Claim() error {
	if err := a.process.claim(a); err != nil {
		return err
	}
	for _, reader := range a.readers {
		reader.hold()
	}
	return nil
}

// ClaimSoon is Claim for one who may be back before it is noticed that its last connection was cut: it waits a little for the place.
func (a *Attachment) ClaimSoon() error {
	patience := time.NewTimer(leaving)
	defer patience.Stop()
	for {
		err := a.Claim()
		if err == nil {
			return nil
		}
		select {
		case <-a.process.vacancy():
		case <-a.client.Context().Done():
			return err
		case <-patience.C:
			return err
		}
	}
}

// Detach lets the process go on without this client.
func (a *Attachment) Detach() {
	a.process.mu.Lock()
	delete(a.process.clients, a)
	a.process.mu.Unlock()
	a.process.unclaim(a)
	for _, reader := range a.readers {
		reader.letGo()
	}
}

func (a *Attachment) add(e event) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.events) == maxEvents { // a client that is that far behind misses some restarts, but not the last news
		a.events = append(a.events[:1], a.events[2:]...)
	}
	a.events = append(a.events, e)
	select {
	case a.added <- struct{}{}:
	default:
	}
}

func (a *Attachment) event() (event, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.events) == 0 {
		return event{}, false
	}
	return a.events[0], true
}

func (a *Attachment) drop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.events = a.events[1:]
}

// Send moves output and events to the client until the process has ended, or the client has gone: then it is an error.
func (a *Attachment) Send(ctx context.Context) error {
	writers := [2]frames.Writer{a.client.Output(frames.Stdout, a.next[0]), a.client.Output(frames.Stderr, a.next[1])}
	if e, ok := a.event(); ok { // ready comes before everything
		a.drop()
		if err := a.client.Send(e.frame); err != nil {
			return err
		}
	}
	buffer := make([]byte, attachBuffer)
	for {
		e, has := a.event()
		waits, moved, err := a.step(writers, buffer, e, has)
		switch {
		case err != nil:
			return err
		case moved:
		case has && a.readers[0].offset >= e.after.Stdout && a.readers[1].offset >= e.after.Stderr:
			a.drop()
			if err := a.happen(writers, e); err != nil || e.last {
				return err
			}
		default:
			select {
			case <-waits[0]:
			case <-waits[1]:
			case <-a.added:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
}

// step sends what each stream has, up to the place of the event.
func (a *Attachment) step(writers [2]frames.Writer, buffer []byte, e event, has bool) (waits [2]chan struct{}, moved bool, err error) {
	bounds := [2]int64{-1, -1}
	if has {
		bounds = [2]int64{e.after.Stdout, e.after.Stderr}
	}
	for i := range writers {
		found := a.readers[i].poll(buffer, bounds[i])
		waits[i] = found.wait
		if found.at > a.next[i] {
			if err := writers[i].Skip(found.at); err != nil {
				return waits, false, err
			}
			if err := a.client.Send(frames.Gap(frames.Stream(i+1), a.next[i], found.at)); err != nil {
				return waits, false, err
			}
		}
		a.next[i] = found.at + int64(found.n)
		if found.n > 0 {
			moved = true
			if err := writers[i].Write(buffer[:found.n]); err != nil {
				return waits, false, err
			}
		}
	}
	return waits, moved, nil
}

func (a *Attachment) happen(writers [2]frames.Writer, e event) error {
	for _, writer := range writers {
		if err := writer.End(); err != nil {
			return err
		}
	}
	return a.client.Send(e.frame)
}

// obey does what the client's frames say until it closes or goes away.
func (a *Attachment) obey(conn *socket.Conn) {
	for {
		frame := conn.Read(conn.Context())
		if _, closing := frame.(frames.Close); frame == nil || closing {
			return
		}
		if err := a.do(frame); err != nil {
			conn.Fail(err)
		}
	}
}

// Process is what it is attached to.
func (a *Attachment) Process() *Process { return a.process }

// Write gives input to the present run. It waits while the process does not read, as long as the client is alive.
func (a *Attachment) Write(data []byte) error { return a.process.feed(data, false, a.client.Alive) }

func (a *Attachment) do(frame any) error {
	if _, again := frame.(frames.Start); again {
		return problem.New(problem.InvalidState, "this connection is at process %s; open another for the next command", a.process.spec.ID)
	}
	if err := a.Claim(); err != nil {
		return err
	}
	switch frame := frame.(type) {
	case frames.Stdin:
		return a.process.feed(frame.Data, frame.EOF, a.client.Alive)
	case frames.Signal:
		return a.process.Signal(frame.Name)
	case frames.Resize:
		size, err := TerminalSize(frame)
		if err != nil {
			return err
		}
		return a.process.Resize(size)
	}
	return nil
}

// Serve runs the connection until the process has ended or the client has gone, and returns whether the client has.
func (a *Attachment) Serve(conn *socket.Conn) (left bool) {
	defer a.Detach()
	ctx, gone := context.WithCancel(conn.Context())
	defer gone()
	go func() {
		a.obey(conn)
		gone()
	}()
	if a.Send(ctx) != nil {
		return true
	}
	conn.Close()
	return false
}
