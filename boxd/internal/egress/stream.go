package egress

import (
	"bufio"
	"net"
	"sync/atomic"
	"time"
)

// stream is a connection of the platform's that waits for somebody inside.
type stream struct {
	net.Conn
	reader   *bufio.Reader
	taken    atomic.Bool
	released chan error    // what the watch saw
	over     chan struct{} // closed when it is of no more use
	lingers  atomic.Bool
}

const lingerTime = 30 * time.Second

// watch returns once the stream is taken, with nil, or once it can no longer be.
func (s *stream) watch() error {
	_, err := s.reader.Peek(1)
	if s.taken.CompareAndSwap(false, true) {
		return errSpeaksFirst // or has gone
	}
	if timeout, ok := err.(net.Error); ok && timeout.Timeout() {
		err = s.SetReadDeadline(time.Time{})
	} else if err == nil {
		err = errSpeaksFirst
	}
	s.released <- err
	return err
}

// take ends the watch; false if the stream has gone.
func (s *stream) take() bool {
	if !s.taken.CompareAndSwap(false, true) {
		return false
	}
	_ = s.SetReadDeadline(time.Unix(1, 0))
	return <-s.released == nil
}

// linger ends the stream once nothing has come for a while, wherever it cannot be seen that the program has gone.
func (s *stream) linger() {
	s.lingers.Store(true)
	s.extend()
}

func (s *stream) extend() { _ = s.SetReadDeadline(time.Now().Add(lingerTime)) }

func (s *stream) Read(into []byte) (int, error) {
	if s.lingers.Load() {
		s.extend()
	}
	return s.reader.Read(into)
}
