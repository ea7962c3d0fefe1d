package managed

import "time"

// mostMarks of a stream are kept. When there are more, they are merged in pairs, and further ones become as rare.
const mostMarks = 1024

// marks say when a stream's bytes were written, to about a thousandth of the time that they go back. The zero value has none.
type marks struct {
	all   []mark
	every time.Duration
}

// mark is of the bytes from offset to the next mark's, which were written between two moments.
type mark struct {
	offset      int64
	first, last time.Time
}

// wrote notes that what begins at offset was written now; what lies before begin is no longer kept.
func (m *marks) wrote(offset int64, now time.Time, begin int64) {
	for len(m.all) > 1 && m.all[1].offset <= begin {
		m.all = m.all[1:]
	}
	if n := len(m.all); n > 0 && now.Sub(m.all[n-1].first) < m.every {
		m.all[n-1].last = now
		return
	}
	m.all = append(m.all, mark{offset, now, now})
	if len(m.all) == mostMarks {
		m.every = now.Sub(m.all[0].first) / (mostMarks / 2)
		merged := make([]mark, 0, mostMarks)
		for i := 0; i < mostMarks; i += 2 {
			merged = append(merged, mark{m.all[i].offset, m.all[i].first, m.all[i+1].last})
		}
		m.all = merged
	}
}

// since is the offset of the oldest bytes of which some may have been written at a time or later; end if there are none.
func (m *marks) since(at time.Time, end int64) int64 {
	for _, one := range m.all {
		if !one.last.Before(at) {
			return one.offset
		}
	}
	return end
}
