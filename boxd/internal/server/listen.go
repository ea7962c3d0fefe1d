package server

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
)

const maxSocketPath = 107

// Listen opens "fd:N", a listening socket that was handed in, or "unix:PATH", which appears only once it listens and has its mode.
func Listen(address string) (net.Listener, error) {
	kind, rest, _ := strings.Cut(address, ":")
	switch kind {
	case "fd":
		return listenFD(rest)
	case "unix":
		return listenUnix(rest)
	}
	return nil, fmt.Errorf("listen %q: must be fd:N or unix:PATH", address)
}

func listenFD(number string) (net.Listener, error) {
	fd, err := strconv.Atoi(number)
	if err != nil || fd < 3 {
		return nil, fmt.Errorf("listen fd:%s: must be a descriptor from 3 on", number)
	}
	file := os.NewFile(uintptr(fd), "listener")
	defer file.Close()
	listener, err := net.FileListener(file)
	if err != nil {
		return nil, fmt.Errorf("listen fd:%d: not a listening socket: %w", fd, err)
	}
	return listener, nil
}

func listenUnix(path string) (net.Listener, error) {
	beside := path + ".tmp"
	if path == "" || len(beside) > maxSocketPath {
		return nil, fmt.Errorf("listen unix:%s: the path must have 1 to %d bytes", path, maxSocketPath-len(".tmp"))
	}
	if err := os.Remove(beside); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: beside, Net: "unix"})
	if err != nil {
		return nil, err
	}
	listener.SetUnlinkOnClose(false)
	if err := os.Chmod(beside, 0o666); err != nil {
		return nil, err
	}
	return listener, os.Rename(beside, path)
}
