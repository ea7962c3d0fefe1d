package exec

import (
	"os"
	"time"
)

const (
	inputPiece  = 64 << 10
	inputPieces = 16
)

// input is a command's stdin as a bounded queue: a command that does not read slows its client down, but signals still get through
// while there is room.
type input struct {
	pieces chan []byte // nil: the end
	over   <-chan struct{}
	closed chan struct{}
	file   *os.File
}

// newInput feeds the file until over is closed.
func newInput(file *os.File, over <-chan struct{}) *input {
	in := &input{pieces: make(chan []byte, inputPieces), over: over, closed: make(chan struct{}), file: file}
	go in.feed()
	return in
}

func (in *input) feed() {
	defer close(in.closed)
	defer in.file.Close()
	for {
		select {
		case <-in.over:
			return
		case piece := <-in.pieces:
			if piece == nil {
				return
			}
			if _, err := in.file.Write(piece); err != nil {
				return
			}
		}
	}
}

// put queues data; while there is no room it asks alive each second. Data after the end, or that nobody reads any more, is dropped.
func (in *input) put(data []byte, alive func() bool) {
	for len(data) > 0 {
		n := min(len(data), inputPiece)
		if !in.queue(data[:n:n], alive) {
			return
		}
		data = data[n:]
	}
}

func (in *input) end(alive func() bool) { in.queue(nil, alive) }

func (in *input) queue(piece []byte, alive func() bool) bool {
	for {
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
