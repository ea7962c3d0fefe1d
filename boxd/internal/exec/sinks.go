package exec

import (
	"bytes"

	"dev.sandboxer/boxd/internal/frames"
)

// capture keeps the first limit bytes.
type capture struct {
	kept      bytes.Buffer
	limit     int64
	truncated bool
}

func (c *capture) write(data []byte) error {
	room := c.limit - int64(c.kept.Len())
	if int64(len(data)) > room {
		c.truncated = true
		data = data[:room]
	}
	c.kept.Write(data)
	return nil
}

func (c *capture) end() error { return nil }

// text is what was kept; a character that the limit cut is left out, so that text stays text.
func (c *capture) text() (text, encoding string) {
	data := c.kept.Bytes()
	if c.truncated {
		data = data[:frames.WholeText(data)]
	}
	return frames.Encode(data)
}

// limited passes on the first left bytes.
type limited struct {
	to        sink
	left      int64
	truncated bool
}

func (l *limited) write(data []byte) error {
	if int64(len(data)) > l.left {
		l.truncated = true
		data = data[:l.left]
	}
	l.left -= int64(len(data))
	if len(data) == 0 {
		return nil
	}
	return l.to.write(data)
}

func (l *limited) end() error { return l.to.end() }

// textFrames sends JSON frames; a character that a chunk cuts waits for its rest.
type textFrames struct {
	stream frames.Stream
	send   func(frame []byte) error
	cut    []byte
	offset int64
}

func (t *textFrames) write(data []byte) error {
	if len(t.cut) > 0 {
		data = append(t.cut, data...)
	}
	whole := frames.WholeText(data)
	t.cut = bytes.Clone(data[whole:])
	return t.emit(data[:whole])
}

func (t *textFrames) end() error { return t.emit(t.cut) }

func (t *textFrames) emit(data []byte) error {
	if len(data) == 0 {
		return nil
	}
	frame := frames.Output(t.stream, data, t.offset)
	t.offset += int64(len(data))
	return t.send(frame)
}

// binaryFrames sends one byte and the raw bytes.
type binaryFrames struct {
	stream frames.Stream
	send   func(frame []byte) error
	frame  []byte
}

func (b *binaryFrames) write(data []byte) error {
	b.frame = append(append(b.frame[:0], byte(b.stream)), data...)
	return b.send(b.frame)
}

func (b *binaryFrames) end() error { return nil }
