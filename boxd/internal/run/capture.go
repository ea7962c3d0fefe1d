package run

import (
	"encoding/base64"
	"io"
	"unicode/utf8"

	"dev.sandboxer/boxd/internal/budget"
	"dev.sandboxer/boxd/internal/frames"
)

// Capture keeps the first bytes of a stream, up to a limit of its own and as far as the memory that all captures share goes.
type Capture struct {
	Truncated bool // something was left out
	Starved   bool // and that because the shared memory was used up

	limit  int64
	memory *budget.Budget
	pieces [][]byte
	kept   int64
	taken  int64
}

const (
	leastPiece = 512
	mostPiece  = 64 << 10
)

// NewCapture makes a capture of at most limit bytes; Free gives its memory back.
func NewCapture(limit int64, memory *budget.Budget) *Capture {
	return &Capture{limit: limit, memory: memory}
}

// Write keeps what there is room for.
func (c *Capture) Write(data []byte) error {
	if room := c.limit - c.kept; int64(len(data)) > room {
		c.Truncated = true
		data = data[:room]
	}
	for len(data) > 0 && !c.Starved {
		data = data[c.fill(data):]
	}
	return nil
}

// fill puts data into the last piece, or a further one.
func (c *Capture) fill(data []byte) int {
	if len(c.pieces) == 0 || len(c.pieces[len(c.pieces)-1]) == cap(c.pieces[len(c.pieces)-1]) {
		if !c.grow(len(data)) {
			return 0
		}
	}
	last := &c.pieces[len(c.pieces)-1]
	n := min(len(data), cap(*last)-len(*last))
	*last = append(*last, data[:n]...)
	c.kept += int64(n)
	return n
}

func (c *Capture) grow(want int) bool {
	size := min(max(want, int(c.kept), leastPiece), mostPiece)
	if !c.memory.Take(int64(size)) {
		c.Truncated, c.Starved = true, true
		return false
	}
	c.taken += int64(size)
	c.pieces = append(c.pieces, make([]byte, 0, size))
	return true
}

// Skip is not for what is kept from the start.
func (c *Capture) Skip(int64) error { return nil }

// End does nothing: what was kept stays.
func (c *Capture) End() error { return nil }

// Free gives the memory back.
func (c *Capture) Free() {
	c.memory.Give(c.taken)
	c.pieces, c.taken = nil, 0
}

// Encoding is "utf-8", or "base64" for what is not text. A character that truncation cut is left out, so that text stays text.
func (c *Capture) Encoding() string {
	if c.Truncated {
		c.dropCut()
	}
	var carry []byte
	for _, piece := range c.pieces {
		if len(carry) > 0 {
			piece = append(carry, piece...)
		}
		whole := frames.WholeText(piece)
		if !utf8.Valid(piece[:whole]) {
			return "base64"
		}
		carry = append([]byte(nil), piece[whole:]...)
	}
	if len(carry) > 0 {
		return "base64"
	}
	return "utf-8"
}

// dropCut looks at the last bytes, which may stand in two pieces.
func (c *Capture) dropCut() {
	var end []byte
	for i := len(c.pieces) - 1; i >= 0 && len(end) < utf8.UTFMax; i-- {
		end = append(append([]byte(nil), c.pieces[i]...), end...)
	}
	for drop := len(end) - frames.WholeText(end); drop > 0; {
		last := &c.pieces[len(c.pieces)-1]
		n := min(drop, len(*last))
		*last = (*last)[:len(*last)-n]
		drop -= n
		c.kept -= int64(n)
		if len(*last) == 0 {
			c.pieces = c.pieces[:len(c.pieces)-1]
		}
	}
}

// WriteJSON writes what was kept as a JSON string in that encoding, piece by piece.
func (c *Capture) WriteJSON(to io.Writer, encoding string) error {
	if encoding == "base64" {
		return c.writeBase64(to)
	}
	if _, err := io.WriteString(to, `"`); err != nil {
		return err
	}
	var escaped []byte
	for _, piece := range c.pieces {
		escaped = frames.AppendEscaped(escaped[:0], piece)
		if _, err := to.Write(escaped); err != nil {
			return err
		}
	}
	_, err := io.WriteString(to, `"`)
	return err
}

func (c *Capture) writeBase64(to io.Writer) error {
	if _, err := io.WriteString(to, `"`); err != nil {
		return err
	}
	encoder := base64.NewEncoder(base64.StdEncoding, to)
	for _, piece := range c.pieces {
		if _, err := encoder.Write(piece); err != nil {
			return err
		}
	}
	if err := encoder.Close(); err != nil {
		return err
	}
	_, err := io.WriteString(to, `"`)
	return err
}
