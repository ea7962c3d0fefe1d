package jail

import (
	"bytes"
	"errors"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

const logBytes = 64 << 10

// newLog makes the file that is nsjail's and boxd's stderr: in memory, and
// sealed so that hostile code cannot make it grow.
func newLog() (*os.File, error) {
	fd, err := unix.MemfdCreate("jail-log", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(fd), "jail-log")
	if err := file.Truncate(logBytes); err != nil {
		return nil, err
	}
	_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_GROW|unix.F_SEAL_SHRINK|unix.F_SEAL_SEAL)
	return file, err
}

// withLog adds the log's last lines to a failure.
func withLog(cause error, log *os.File) error {
	content := make([]byte, logBytes)
	n, _ := log.ReadAt(content, 0)
	text := strings.TrimSpace(string(bytes.TrimRight(content[:n], "\x00")))
	if text == "" {
		return cause
	}
	failure := &Failure{Code: Internal, Message: cause.Error()}
	_ = errors.As(cause, &failure)
	lines := strings.Split(text, "\n")
	failure.Message += ": " + strings.Join(lines[max(0, len(lines)-6):], " | ")
	return failure
}
