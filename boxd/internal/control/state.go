// Package control is what the platform tells the sandbox: environment, identity, limits, keys, revocations, deadline, shutdown.
package control

import (
	"sync"
	"time"

	"dev.sandboxer/boxd/internal/auth"
	"dev.sandboxer/boxd/internal/config"
)

// State is what configure sets; it is safe for concurrent use.
type State struct {
	verifier  *auth.Verifier
	limits    *config.Live
	workspace string

	mu         sync.Mutex
	configured bool
	env        map[string]string
	sandboxID  string
	generation int64
	deadline   *time.Timer
	end        func(reason string)
}

// NewState starts the hard deadline; end is called when it passes or when a caller shuts the sandbox down.
func NewState(c config.Config, limits *config.Live, verifier *auth.Verifier, end func(reason string)) *State {
	s := &State{
		verifier: verifier, limits: limits, workspace: c.Workspace,
		env: map[string]string{}, sandboxID: c.SandboxID, generation: c.Generation, end: end,
	}
	s.deadline = time.AfterFunc(time.Duration(c.DeadlineSeconds)*time.Second, func() { end("deadline") })
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

// Identity is whose sandbox this is.
func (s *State) Identity() (sandboxID string, generation int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sandboxID, s.generation
}

func (s *State) configure(env map[string]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.env = env
	s.configured = true
}

func (s *State) identify(sandboxID string, generation int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sandboxID, s.generation = sandboxID, generation
	s.verifier.Identify(sandboxID, generation)
}

// setDeadline counts from now.
func (s *State) setDeadline(after time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deadline.Reset(after)
}
