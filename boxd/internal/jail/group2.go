package jail

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
)

var controllers2 = []string{"memory", "pids", "cpu"}

// join2 makes the jail's folder in the v2 tree. A folder that has processes can
// not hand controllers on, so the parent is the first of: our own folder, the
// one above it (a delegated scope), the top.
func (h host) join2(g *group, tree hierarchy, name string, want Resources) {
	var wanted []string
	for _, controller := range controllers2 {
		if slices.Contains(words(filepath.Join(tree.top, "cgroup.controllers")), controller) {
			wanted = append(wanted, controller)
		}
	}
	parent, err := h.parent2(tree, wanted)
	if err != nil {
		g.refuse(limitsOf(wanted), err)
	}
	dir := filepath.Join(parent, name)
	if err := h.makeDir(dir); err != nil {
		g.refuse(limitsOf(wanted), err)
		return
	}
	g.add(dir, tree.own)
	g.version2 = dir
	for _, controller := range wanted {
		if err := limit2(dir, controller, want); err != nil {
			g.refuse([]string{limitOf(controller)}, err)
		} else {
			g.accept(limitOf(controller))
		}
	}
}

func limitsOf(controllers []string) []string {
	limits := make([]string, 0, len(controllers))
	for _, controller := range controllers {
		limits = append(limits, limitOf(controller))
	}
	return limits
}

func (h host) parent2(tree hierarchy, wanted []string) (string, error) {
	var last error
	for _, dir := range slices.Compact([]string{tree.own, filepath.Dir(tree.own), tree.top}) {
		if len(dir) < len(tree.top) {
			continue
		}
		if last = enable(dir, wanted); last == nil {
			return dir, nil
		}
	}
	return tree.own, fmt.Errorf("no cgroup is delegated to this user: %w", last)
}

func enable(dir string, wanted []string) error {
	for _, controller := range wanted {
		if slices.Contains(words(filepath.Join(dir, "cgroup.subtree_control")), controller) {
			continue
		}
		if err := put(dir, "cgroup.subtree_control", "+"+controller); err != nil {
			return err
		}
	}
	return nil
}

func limit2(dir, controller string, want Resources) error {
	switch controller {
	case "memory":
		err := put(dir, "memory.swap.max", "0")
		if errors.Is(err, fs.ErrNotExist) { // a kernel without swap
			err = nil
		}
		return errors.Join(err, put(dir, "memory.max", strconv.FormatInt(want.MemoryBytes, 10)))
	case "pids":
		return put(dir, "pids.max", strconv.FormatInt(want.Pids, 10))
	case "cpu":
		return put(dir, "cpu.max", fmt.Sprintf("%d %d", quota(want), cpuPeriodMicros))
	}
	return nil
}
