package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// through is the answer of an attempt that succeeded.
const through = "through"

// probe is one attempt.
type probe struct {
	name  string
	rule  string   // which rule should hold, for the table
	tries string   // what is attempted
	held  []string // the answers that show that it held
	try   func(target) error
}

func (p probe) holds(answer string) bool { return slices.Contains(p.held, answer) }

// target says where an attempt is made: outside it gets something of its own to
// aim at, so that a control changes nothing of the machine.
type target struct{ outside bool }

func all() []probe {
	return slices.Concat(calls(), sockets(), processes(), kernelFiles(), files(), views(), network(), limits())
}

// seen is an answer that is no errno.
type seen string

func (s seen) Error() string { return string(s) }

func answer(err error) string {
	var errno syscall.Errno
	switch {
	case err == nil:
		return through
	case errors.Is(err, io.EOF):
		return "empty"
	case errors.As(err, &errno):
		return unix.ErrnoName(errno)
	default:
		return err.Error()
	}
}

func failed(errno syscall.Errno) error {
	if errno == 0 {
		return nil
	}
	return errno
}

// table lists the probes below their rules, in Markdown.
func table(probes []probe) string {
	var text strings.Builder
	rule := ""
	for _, p := range probes {
		if p.rule != rule {
			rule = p.rule
			fmt.Fprintf(&text, "\n**%s**\n\n| tried | answer |\n|---|---|\n", strings.ToUpper(rule[:1])+rule[1:])
		}
		fmt.Fprintf(&text, "| %s | %s |\n", p.tries, strings.Join(p.held, ", "))
	}
	return text.String()
}
