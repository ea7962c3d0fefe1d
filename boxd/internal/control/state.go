// Package control is what the platform tells the sandbox: environment, deadline, shutdown.
package control

import (
	"sync"
	"time"
)

// State is what configure sets; it is safe for concurrent use.
type State struct {
	mu         sync.Mutex
	configured bool
	env        map[string]string
	deadline   *time.Timer
	end        func(reason string)
}

// NewState starts the hard deadline; end is called when it passes or when a caller shuts the sandbox down.
func NewState(deadline time.Duration, end func(reason string)) *State {
	s := &State{env: map[string]string{}, end: end}
	s.deadline = time.AfterFunc(deadline, func() { end("deadline") })
	return s
}

// Configured says whether configure was called.
func (s *State) Configured() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.configured
}

// Env is the configured environment; the map is never changed.
func (s *State) Env() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.env
}

func (s *State) configure(env map[string]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.env = env
	s.configured = true
}

// setDeadline counts from now.
func (s *State) setDeadline(after time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deadline.Reset(after)
}
