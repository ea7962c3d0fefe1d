// Package budget shares one amount among all who ask.
package budget

import (
	"sync"
)

// Budget is an amount of bytes; it is safe for concurrent use.
type Budget struct {
	limit func() int64
	mu    sync.Mutex
	used  int64
}

// New makes a budget; limit is asked at each Take.
func New(limit func() int64) *Budget { return &Budget{limit: limit} }

// Take takes n bytes, or says that there are not so many left.
func (b *Budget) Take(n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.used+n > b.limit() {
		return false
	}
	b.used += n
	return true
}

// Give returns n bytes that were taken.
func (b *Budget) Give(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= n
}
