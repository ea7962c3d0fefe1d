// Package rlimits sets limits of processes where the backend has no way to, such as in a pod. What boxd starts inherits them.
package rlimits

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"syscall"
)

const nproc = 6 // RLIMIT_NPROC, which syscall does not name

var known = map[string]int{"core": syscall.RLIMIT_CORE, "nofile": syscall.RLIMIT_NOFILE, "nproc": nproc}

// Limit is the most of a resource that a process may have, or for nproc a user.
type Limit struct {
	resource int
	most     uint64
}

// Parse reads NAME=N.
func Parse(text string) (Limit, error) {
	name, number, _ := strings.Cut(text, "=")
	resource, ok := known[name]
	most, err := strconv.ParseUint(number, 10, 31)
	if !ok || err != nil || most == 0 {
		return Limit{}, errors.New("must be core=N, nofile=N or nproc=N, with N above 0")
	}
	return Limit{resource, most}, nil
}

// Set sets them for this process and all that it starts, for good: nobody without capabilities raises them again.
func Set(limits []Limit) error {
	for _, limit := range limits {
		if err := syscall.Setrlimit(limit.resource, &syscall.Rlimit{Cur: limit.most, Max: limit.most}); err != nil {
			return fmt.Errorf("limit %d of %d cannot be set: %w", limit.resource, limit.most, err)
		}
	}
	return nil
}
