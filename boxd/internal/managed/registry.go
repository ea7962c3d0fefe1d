// Package managed holds processes that outlive the connection that started them.
package managed

import (
	"slices"
	"sync"
	"time"

	"dev.sandboxer/boxd/internal/budget"
	"dev.sandboxer/boxd/internal/config"
	"dev.sandboxer/boxd/internal/problem"
	"dev.sandboxer/boxd/internal/run"
)

// keptFor is how long a finished process stays listed with its output.
const keptFor = 300 * time.Second

// Registry holds the managed processes of the sandbox.
type Registry struct {
	runner *run.Runner
	limits *config.Live
	memory *budget.Budget

	mu   sync.Mutex
	byID map[string]*Process
}

// NewRegistry makes an empty one; memory is what all their buffers share.
func NewRegistry(runner *run.Runner, limits *config.Live, memory *budget.Budget) *Registry {
	return &Registry{runner: runner, limits: limits, memory: memory, byID: map[string]*Process{}}
}

// Start begins a process. One of the same id that still runs is ended first if the spec says so, else that is an error.
func (r *Registry) Start(spec Spec) (*Process, error) {
	return r.startWith(spec, func(*Process) {})
}

// StartHeld begins a process with a client that is there before its first byte, and writes.
func (r *Registry) StartHeld(spec Spec, client Client) (*Attachment, error) {
	var held *Attachment
	_, err := r.startWith(spec, func(p *Process) {
		held, _ = p.Attach(client, From{}) // from the start on: it cannot be beyond the output
		_ = held.Claim()                   // nobody else can be there
	})
	return held, err
}

// startWith calls first before the process's output is read.
func (r *Registry) startWith(spec Spec, first func(*Process)) (*Process, error) {
	if err := spec.check(r.limits.Get().ProcessBufferBytes); err != nil {
		return nil, err
	}
	for {
		p, standing, err := r.begin(spec, first)
		if standing == nil {
			return p, err
		}
		if !spec.Replace {
			return nil, problem.New(problem.InvalidState, "process %s runs already; end it first, or send replace: true", spec.ID)
		}
		standing.End()
	}
}

// begin returns the process that stands in the way, if one does.
func (r *Registry) begin(spec Spec, first func(*Process)) (begun, standing *Process, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if there := r.byID[spec.ID]; there != nil && there.over().IsZero() {
		return nil, there, nil
	}
	if most := r.limits.Get().Processes; r.live() >= most {
		return nil, nil, problem.New(problem.ProcessLimit, "%d managed processes already run in this sandbox, which is its limit (limits.processes of the profile)", most)
	}
	current, err := r.runner.Start(spec.Command)
	if err != nil {
		return nil, nil, err
	}
	if there := r.byID[spec.ID]; there != nil {
		r.drop(there)
	}
	p := &Process{
		spec: spec, start: r.runner.Start, clients: map[*Attachment]struct{}{},
		stop: make(chan struct{}), done: make(chan struct{}),
		rings: [2]*ring{newRing(*spec.BufferBytes, r.memory), newRing(*spec.BufferBytes, r.memory)},
	}
	p.begin(current)
	first(p)
	r.byID[spec.ID] = p
	go func() {
		p.live(current)
		r.finished(p)
	}()
	return p, nil, nil
}

// live counts those that have not ended, the lock is held.
func (r *Registry) live() int {
	count := 0
	for _, p := range r.byID {
		if p.over().IsZero() {
			count++
		}
	}
	return count
}

// Active is how many processes have not ended; those that wait for their next start count.
func (r *Registry) Active() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.live()
}

// finished keeps the process for a while, but not more of them than may run.
func (r *Registry) finished(p *Process) {
	time.AfterFunc(keptFor, func() { r.Forget(p) })
	r.mu.Lock()
	defer r.mu.Unlock()
	var ended []*Process
	for _, one := range r.byID {
		if !one.over().IsZero() {
			ended = append(ended, one)
		}
	}
	slices.SortFunc(ended, func(a, b *Process) int { return a.over().Compare(b.over()) })
	for len(ended) > r.limits.Get().Processes {
		r.drop(ended[0])
		ended = ended[1:]
	}
}

// Forget takes a finished process off the list.
func (r *Registry) Forget(p *Process) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drop(p)
}

func (r *Registry) drop(p *Process) {
	if r.byID[p.spec.ID] == p {
		delete(r.byID, p.spec.ID)
	}
	for _, ring := range p.rings {
		ring.free()
	}
}

// Get finds a process by its id.
func (r *Registry) Get(id string) (*Process, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p, known := r.byID[id]
	if !known {
		return nil, problem.New(problem.NotFound, "there is no process %.80q; finished ones are listed for %d s", id, int(keptFor.Seconds()))
	}
	return p, nil
}

func (r *Registry) list() []*Process {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make([]*Process, 0, len(r.byID))
	for _, p := range r.byID {
		all = append(all, p)
	}
	return all
}

// over is when the process ended; zero before.
func (p *Process) over() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ended
}
