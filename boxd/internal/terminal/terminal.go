// Package terminal makes pseudo-terminals.
package terminal

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// Size is in characters.
type Size struct {
	Cols, Rows uint16
}

// EndOfInput is what a terminal takes as the end of input when it stands at the start of a line.
const EndOfInput = 4

// Pair is a pseudo-terminal: our end, and the descriptor that a program gets as its terminal.
type Pair struct {
	Ours   *Terminal
	Theirs int
}

// Terminal is our end. Reading fails with EIO once no program has the other end open.
type Terminal struct {
	*os.File
}

// Open makes a pseudo-terminal; the caller closes both ends.
func Open(size Size) (Pair, error) {
	ours, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return Pair{}, fmt.Errorf("/dev/ptmx: %w", err)
	}
	if err := unix.IoctlSetPointerInt(ours, unix.TIOCSPTLCK, 0); err != nil {
		_ = unix.Close(ours)
		return Pair{}, fmt.Errorf("unlock the terminal: %w", err)
	}
	theirs, err := peer(ours)
	if err != nil {
		_ = unix.Close(ours)
		return Pair{}, err
	}
	pair := Pair{&Terminal{os.NewFile(uintptr(ours), "terminal")}, theirs}
	if err := pair.Ours.Resize(size); err != nil {
		_ = pair.Ours.Close()
		_ = unix.Close(theirs)
		return Pair{}, err
	}
	return pair, nil
}

// peer opens the other end by descriptor, so that it does not matter what lies at /dev/pts.
func peer(ours int) (int, error) {
	fd, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(ours), unix.TIOCGPTPEER, unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC)
	if errno == 0 {
		return int(fd), nil
	}
	number, err := unix.IoctlGetInt(ours, unix.TIOCGPTN)
	if err != nil {
		return 0, fmt.Errorf("number of the terminal: %w", errors.Join(errno, err))
	}
	path := "/dev/pts/" + strconv.Itoa(number)
	theirs, err := unix.Open(path, unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	return theirs, nil
}

// Resize sets the size; the kernel tells the foreground program.
func (t *Terminal) Resize(size Size) error {
	return t.control(func(fd int) error {
		return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Col: size.Cols, Row: size.Rows})
	})
}

// Foreground is the process group that the terminal's keys reach; 0 if there is none.
func (t *Terminal) Foreground() int {
	group := 0
	_ = t.control(func(fd int) (err error) {
		group, err = unix.IoctlGetInt(fd, unix.TIOCGPGRP)
		return err
	})
	return max(group, 0)
}

func (t *Terminal) control(act func(fd int) error) error {
	raw, err := t.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	if err := raw.Control(func(fd uintptr) { failed = act(int(fd)) }); err != nil {
		return err
	}
	return failed
}
