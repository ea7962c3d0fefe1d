package run

import "dev.sandboxer/boxd/internal/frames"

// Limited passes on the first Left bytes.
type Limited struct {
	To        frames.Writer
	Left      int64
	Truncated bool
}

// Write passes on what is left.
func (l *Limited) Write(data []byte) error {
	if int64(len(data)) > l.Left {
		l.Truncated = true
		data = data[:l.Left]
	}
	l.Left -= int64(len(data))
	if len(data) == 0 {
		return nil
	}
	return l.To.Write(data)
}

// Skip is passed on.
func (l *Limited) Skip(offset int64) error { return l.To.Skip(offset) }

// End is passed on.
func (l *Limited) End() error { return l.To.End() }

// lenient forgets a writer that failed: the command goes on until somebody ends it.
type lenient struct {
	frames.Writer
	failed bool
}

func (l *lenient) Write(data []byte) error {
	if !l.failed {
		l.failed = l.Writer.Write(data) != nil
	}
	return nil
}

func (l *lenient) End() error {
	if l.failed {
		return nil
	}
	return l.Writer.End()
}
