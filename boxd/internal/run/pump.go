package run

import (
	"errors"
	"io"
	"os"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"dev.sandboxer/boxd/internal/frames"
)

// Output is still awaited after the command's end from what it left behind, so that `echo hi > >(cat)` is read whole: for lingering, and
// on a machine where that waits for a processor until it has had one, for longestLingering at most. `sleep 60 &` holds nobody up.
const (
	lingering        = 20 * time.Millisecond
	longestLingering = 2 * time.Second
)

const hangUpTime = time.Second

const bufferBytes = 32 << 10

var buffers = sync.Pool{New: func() any { return new([bufferBytes]byte) }}

// pump moves the pipe into the sink until its end, or until the deadline that is set when the command has ended; from then
// on it takes only what already lies in the pipe, once nothing is busy any more that could have written.
func pump(pipe *os.File, to frames.Writer, busy func() bool) {
	buffer := buffers.Get().(*[bufferBytes]byte)
	defer buffers.Put(buffer)
	to = &lenient{Writer: to}
	err := move(pipe, to, buffer[:], -1)
	for end := time.Now().Add(longestLingering); errors.Is(err, os.ErrDeadlineExceeded); {
		if time.Now().Before(end) && (busy() || waiting(pipe) > 0) {
			_ = pipe.SetReadDeadline(time.Now().Add(lingering))
			err = move(pipe, to, buffer[:], -1)
			continue
		}
		_ = pipe.SetReadDeadline(time.Time{})
		err = move(pipe, to, buffer[:], waiting(pipe))
	}
	_ = to.End()
	if err != nil {
		_ = pipe.Close()
		return
	}
	go discard(pipe)
}

// pumpTerminal moves a terminal's output into the sink until the command is over. Before that the terminal stays, even while no program has
// it open: one may open it again, and closing our end would send a hang-up to a command that is just about to end by itself.
func pumpTerminal(ours *os.File, to frames.Writer, over <-chan struct{}) {
	buffer := buffers.Get().(*[bufferBytes]byte)
	defer buffers.Put(buffer)
	to = &lenient{Writer: to}
	for errors.Is(move(ours, to, buffer[:], -1), syscall.EIO) && !within(over, lingering) {
	}
	<-over // it has ended, or our end has failed
	drain(ours, to, buffer[:])
	_ = to.End()
}

// within says whether that is over, waiting for it a while.
func within(over <-chan struct{}, while time.Duration) bool {
	select {
	case <-over:
		return true
	case <-time.After(while):
		return false
	}
}

// drain takes what comes without a pause, for a while: the kernel hangs up what still has the terminal.
func drain(ours *os.File, to frames.Writer, buffer []byte) {
	for end := time.Now().Add(hangUpTime); time.Now().Before(end); {
		_ = ours.SetReadDeadline(time.Now().Add(lingering))
		n, err := ours.Read(buffer)
		if n > 0 {
			_ = to.Write(buffer[:n])
		}
		if err != nil {
			return
		}
	}
}

// move copies up to limit bytes (-1: all) and returns nil at the limit, else the reader's error, io.EOF included.
func move(pipe *os.File, to frames.Writer, buffer []byte, limit int) error {
	for limit != 0 {
		part := buffer
		if limit > 0 && limit < len(part) {
			part = part[:limit]
		}
		n, err := pipe.Read(part)
		if n > 0 {
			_ = to.Write(part[:n])
		}
		if err != nil {
			return err
		}
		if limit > 0 {
			limit -= n
		}
	}
	return nil
}

// waiting is how many bytes lie in the pipe.
func waiting(pipe *os.File) int {
	const fionread = 0x541B
	var count int32
	raw, err := pipe.SyscallConn()
	if err != nil {
		return 0
	}
	_ = raw.Control(func(fd uintptr) {
		_, _, _ = syscall.Syscall(syscall.SYS_IOCTL, fd, fionread, uintptr(unsafe.Pointer(&count)))
	})
	return int(count)
}

// discard keeps the pipe open for jobs in the background, which would die of SIGPIPE otherwise.
func discard(pipe *os.File) {
	_, _ = io.Copy(io.Discard, pipe)
	_ = pipe.Close()
}
