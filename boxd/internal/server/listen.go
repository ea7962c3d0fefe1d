package server

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
)

const maxSocketPath = 107

// Listen opens "fd:N", a listening socket that was handed in, "unix:PATH", which appears only once it listens and has its mode, or
// "tcp:ADDRESS:PORT", where port 0 lets the kernel choose; the log then has the port.
func Listen(address string) (net.Listener, error) {
	kind, rest, _ := strings.Cut(address, ":")
	switch kind {
	case "fd":
		return listenFD(rest)
	case "unix":
		return listenUnix(rest)
	case "tcp":
		return listenTCP(rest)
	}
	return nil, fmt.Errorf("listen %q: must be fd:N, unix:PATH or tcp:ADDRESS:PORT", address)
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
	if strings.HasPrefix(path, "@") {
		// No file: nobody can put another one in its place. Linux keeps such names for a network namespace.
		return net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	}
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

// listenTCP takes no names: a resolver inside a sandbox is not to be relied on.
func listenTCP(address string) (net.Listener, error) {
	parsed, err := netip.ParseAddrPort(address)
	if err != nil {
		return nil, fmt.Errorf("listen tcp:%s: must be an IP address and a port, such as 0.0.0.0:7070 or [::]:7070", address)
	}
	return net.ListenTCP("tcp", net.TCPAddrFromAddrPort(parsed))
}

// where is the listener's address as --listen takes it.
func where(listener net.Listener) string {
	return listener.Addr().Network() + ":" + listener.Addr().String()
}
