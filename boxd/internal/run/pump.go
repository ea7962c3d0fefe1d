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

// lingering is how long output is awaited after the command's end from what it left behind: `echo hi > >(cat)` is still read whole,
// and `sleep 60 &` holds nobody up.
const lingering = 20 * time.Millisecond

const hangUpTime = time.Second

const bufferBytes = 32 << 10

var buffers = sync.Pool{New: func() any { return new([bufferBytes]byte) }}

// pump moves the pipe into the sink until its end, or until the deadline that is set when the command has ended; from then
// on it takes only what already lies in the pipe.
func pump(pipe *os.File, to frames.Writer) {
	buffer := buffers.Get().(*[bufferBytes]byte)
	defer buffers.Put(buffer)
	to = &lenient{Writer: to}
	err := move(pipe, to, buffer[:], -1)
	if errors.Is(err, os.ErrDeadlineExceeded) {
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

// pumpTerminal moves a terminal's output into the sink until no program has it open. From the deadline on, which is set when the
// command has ended, it takes what comes without a pause: the kernel hangs up what still has the terminal.
func pumpTerminal(ours *os.File, to frames.Writer) {
	buffer := buffers.Get().(*[bufferBytes]byte)
	defer buffers.Put(buffer)
	to = &lenient{Writer: to}
	err := move(ours, to, buffer[:], -1)
	for end := time.Now().Add(hangUpTime); errors.Is(err, os.ErrDeadlineExceeded) && time.Now().Before(end); {
		_ = ours.SetReadDeadline(time.Now().Add(lingering))
		n, readErr := ours.Read(buffer[:])
		if n == 0 {
			break
		}
		_ = to.Write(buffer[:n])
		err = errors.Join(readErr, os.ErrDeadlineExceeded)
	}
	_ = to.End()
	_ = ours.Close()
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
