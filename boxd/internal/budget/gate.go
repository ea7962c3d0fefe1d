package budget

import "sync/atomic"

// Gate lets at most so many in at once; it is safe for concurrent use.
type Gate struct {
	limit func() int
	in    atomic.Int64
}

// NewGate makes a gate; limit is asked at each Enter.
func NewGate(limit func() int) *Gate { return &Gate{limit: limit} }

// Enter says whether there is room, and takes it.
func (g *Gate) Enter() bool {
	if g.in.Add(1) <= int64(g.limit()) {
		return true
	}
	g.in.Add(-1)
	return false
}

// Leave makes room.
func (g *Gate) Leave() { g.in.Add(-1) }

// Limit is the limit now.
func (g *Gate) Limit() int { return g.limit() }

// Inside is how many are in.
func (g *Gate) Inside() int { return int(g.in.Load()) }
