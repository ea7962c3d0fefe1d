package jail

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
)

const cpuPeriodMicros = 100_000

// join1 makes the jail's folder below this process's own one in a v1 tree.
func (h host) join1(g *group, tree hierarchy, name string, want Resources) {
	limits := make([]string, 0, len(tree.controllers))
	for _, controller := range tree.controllers {
		limits = append(limits, limitOf(controller))
	}
	dir := filepath.Join(tree.own, name)
	if err := h.makeDir(dir); err != nil {
		g.refuse(limits, err)
		return
	}
	g.add(dir, tree.own)
	g.show(dir, tree)
	for _, controller := range tree.controllers {
		if err := limit1(dir, controller, want); err != nil {
			g.refuse([]string{limitOf(controller)}, err)
		} else {
			g.accept(limitOf(controller))
		}
	}
}

func limit1(dir, controller string, want Resources) error {
	switch controller {
	case "memory":
		return memory1(dir, want.MemoryBytes)
	case "pids":
		return put(dir, "pids.max", strconv.FormatInt(want.tasks(), 10))
	case "cpu":
		return errors.Join(
			put(dir, "cpu.cfs_period_us", strconv.Itoa(cpuPeriodMicros)),
			put(dir, "cpu.cfs_quota_us", strconv.FormatInt(quota(want), 10)))
	}
	return nil
}

// memory1 limits memory and memory with swap to the same number, so that a
// jail cannot flee into swap. Without swap accounting the limit does not hold.
func memory1(dir string, bytes int64) error {
	value := strconv.FormatInt(bytes, 10)
	if err := put(dir, "memory.limit_in_bytes", value); err != nil {
		return err
	}
	err := put(dir, "memory.memsw.limit_in_bytes", value)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the kernel does not account swap: boot with swapaccount=1")
	}
	return err
}

func quota(want Resources) int64 {
	return max(1000, want.CPUMillis*cpuPeriodMicros/1000)
}
