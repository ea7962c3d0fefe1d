package web

import (
	"sync"
	"time"
)

// Activity counts the requests and streams that are open, and closes the sandbox to new ones in one step with the look at that count.
type Activity struct {
	mu     sync.Mutex
	open   int
	last   time.Time
	closed bool
}

// NewActivity begins now.
func NewActivity() *Activity { return &Activity{last: time.Now()} }

// enter counts a request in, unless the sandbox has closed.
func (a *Activity) enter() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return false
	}
	a.open++
	a.last = time.Now()
	return true
}

func (a *Activity) leave() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.open--
	a.last = time.Now()
}

// CloseIfIdle lets no further request in if none is open, none was since then, and busy says that nothing runs either. It
// returns when the sandbox was last used, and whether it closed.
func (a *Activity) CloseIfIdle(since time.Time, busy func() bool) (last time.Time, closed bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open > 0 || busy() {
		return time.Now(), false
	}
	if a.last.After(since) {
		return a.last, false
	}
	a.closed = true
	return a.last, true
}
