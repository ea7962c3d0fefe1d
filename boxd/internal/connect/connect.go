// Package connect joins a program's input and output with a Unix socket, for a platform that reaches a sandbox only by running a program in it.
package connect

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"syscall"
	"time"
)

const (
	failed = 1
	misuse = 2

	header  = 4
	most    = 32 << 10
	pause   = time.Millisecond
	threads = 1 // each counts for the sandbox
)

const usage = "usage: boxd connect unix:PATH SECONDS"

// Main waits up to SECONDS for somebody to listen, and then passes bytes on. Each way they come in pieces: four bytes with the length, the
// highest first, and as many bytes. The first piece of the output is empty: it is connected. A later empty piece ends its way. Input
// that ends without one ends the connection at once, as nobody is there any more.
func Main(args []string) int {
	runtime.GOMAXPROCS(threads)
	debug.SetGCPercent(-1) // buffers are made once
	if len(args) != 2 {
		return misused()
	}
	seconds, err := strconv.Atoi(args[1])
	if err != nil || seconds < 0 || len(args[0]) <= len("unix:") || args[0][:len("unix:")] != "unix:" {
		return misused()
	}
	// Its memory has what the platform sends.
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_SET_DUMPABLE, 0, 0); errno != 0 {
		return fail(errno)
	}
	conn, err := dial(args[0][len("unix:"):], time.Duration(seconds)*time.Second)
	if err != nil {
		return fail(err)
	}
	defer conn.Close()
	return pass(conn, os.Stdin, os.Stdout)
}

func misused() int {
	fmt.Fprintln(os.Stderr, usage)
	return misuse
}

func fail(err error) int {
	fmt.Fprintln(os.Stderr, "boxd connect:", err)
	return failed
}

func dial(path string, patience time.Duration) (*net.UnixConn, error) {
	end := time.Now().Add(patience)
	for {
		conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"})
		if err == nil || time.Now().After(end) {
			return conn, err
		}
		time.Sleep(pause)
	}
}

// pass returns once both ways have ended, or either one has failed.
func pass(conn *net.UnixConn, in io.Reader, out io.Writer) int {
	ended := make(chan error, 2)
	go func() { ended <- fromInput(conn, in) }()
	go func() { ended <- toOutput(conn, out) }()
	for range cap(ended) {
		if err := <-ended; err != nil {
			return fail(err)
		}
	}
	return 0
}

func fromInput(conn *net.UnixConn, in io.Reader) error {
	buffer := make([]byte, most)
	for {
		if _, err := io.ReadFull(in, buffer[:header]); err != nil {
			return fmt.Errorf("input: %w", err)
		}
		left := int(binary.BigEndian.Uint32(buffer))
		if left == 0 {
			// What it is connected with may have ended already.
			if err := conn.CloseWrite(); err != nil && !errors.Is(err, syscall.ENOTCONN) {
				return err
			}
			return nil
		}
		for left > 0 {
			n, err := in.Read(buffer[:min(left, most)])
			if err != nil {
				return fmt.Errorf("input: %w", err)
			}
			left -= n
			if _, err := conn.Write(buffer[:n]); err != nil {
				return err
			}
		}
	}
}

func toOutput(conn *net.UnixConn, out io.Writer) error {
	buffer := make([]byte, header+most)
	if _, err := out.Write(buffer[:header]); err != nil {
		return err
	}
	for {
		n, err := conn.Read(buffer[header:])
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		binary.BigEndian.PutUint32(buffer, uint32(n))
		if _, err := out.Write(buffer[:header+n]); err != nil {
			return err
		}
		if n == 0 {
			return nil
		}
	}
}
