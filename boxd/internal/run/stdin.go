package run

import (
	"os"
	"time"

	"dev.sandboxer/boxd/internal/terminal"
)

const (
	inputPiece  = 64 << 10
	inputPieces = 16
)

// Input is a command's stdin as a bounded queue: a command that does not read slows its client down, but signals still get through
// while there is room.
type Input struct {
	pieces chan []byte // nil: the end
	over   <-chan struct{}
	closed chan struct{}
	file   *os.File
	tty    bool
}

// Input begins to feed the command's input; call it once. It is nil for a command without one.
func (r *Running) Input() *Input {
	in := &Input{pieces: make(chan []byte, inputPieces), over: r.Process.Done(), closed: make(chan struct{}), file: r.Stdin}
	if r.terminal != nil {
		in.file, in.tty = r.terminal.File, true
	}
	if in.file == nil {
		return nil
	}
	go in.feed()
	return in
}

func (in *Input) feed() {
	defer close(in.closed)
	if !in.tty {
		defer in.file.Close()
	}
	for {
		select {
		case <-in.over:
			return
		case piece := <-in.pieces:
			if piece == nil {
				if !in.tty {
					return
				}
				piece = []byte{terminal.EndOfInput} // a terminal stays: its program decides what an end means
			}
			if _, err := in.file.Write(piece); err != nil {
				return
			}
		}
	}
}

// Put queues data; while there is no room it asks alive each second. Data after the end, or that nobody reads any more, is dropped:
// then it returns false.
func (in *Input) Put(data []byte, alive func() bool) bool {
	for len(data) > 0 {
		n := min(len(data), inputPiece)
		if !in.queue(data[:n:n], alive) {
			return false
		}
		data = data[n:]
	}
	return true
}

// End closes the input once what was put before is read.
func (in *Input) End(alive func() bool) { in.queue(nil, alive) }

func (in *Input) queue(piece []byte, alive func() bool) bool {
	for {
		select {
		case <-in.closed:
			return false
		default:
		}
		select {
		case in.pieces <- piece:
			return true
		case <-in.closed:
			return false
		case <-time.After(time.Second):
			if !alive() {
				return false
			}
		}
	}
}
