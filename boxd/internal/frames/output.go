package frames

import "bytes"

// Writer takes a stream's bytes in order, until it fails. It may block, which slows the command.
type Writer interface {
	Write(data []byte) error
	// Skip says that what follows begins at offset.
	Skip(offset int64) error
	End() error
}

// Text makes a writer of JSON frames; a character that a chunk cuts waits for its rest.
func Text(stream Stream, offset int64, send func(frame []byte) error) Writer {
	return &textWriter{stream: stream, send: send, offset: offset}
}

// Binary makes a writer of frames of one byte and the raw bytes.
func Binary(stream Stream, send func(frame []byte) error) Writer {
	return &binaryWriter{stream: stream, send: send}
}

type textWriter struct {
	stream Stream
	send   func(frame []byte) error
	cut    []byte
	offset int64
}

func (t *textWriter) Write(data []byte) error {
	if len(t.cut) > 0 {
		data = append(t.cut, data...)
	}
	whole := WholeText(data)
	t.cut = bytes.Clone(data[whole:])
	return t.emit(data[:whole])
}

func (t *textWriter) Skip(offset int64) error {
	err := t.End()
	t.offset = offset
	return err
}

func (t *textWriter) End() error {
	cut := t.cut
	t.cut = nil
	return t.emit(cut)
}

func (t *textWriter) emit(data []byte) error {
	if len(data) == 0 {
		return nil
	}
	frame := Output(t.stream, data, t.offset)
	t.offset += int64(len(data))
	return t.send(frame)
}

type binaryWriter struct {
	stream Stream
	send   func(frame []byte) error
	frame  []byte
}

func (b *binaryWriter) Write(data []byte) error {
	b.frame = append(append(b.frame[:0], byte(b.stream)), data...)
	return b.send(b.frame)
}

func (b *binaryWriter) Skip(int64) error { return nil }

func (b *binaryWriter) End() error { return nil }
