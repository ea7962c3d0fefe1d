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

// join2 makes the jail's folder in the v2 tree, where most controllers can be had.
func (h host) join2(g *group, tree hierarchy, name string, want Resources) {
	parent, enabled, err := parent2(tree)
	for _, controller := range controllers2 {
		if err != nil && !slices.Contains(enabled, controller) && !g.enforced[limitOf(controller)] {
			g.reasons[limitOf(controller)] = "no cgroup is delegated to this user: " + err.Error()
		}
	}
	dir := filepath.Join(parent, name)
	if err := h.makeDir(dir); err != nil {
		g.refuse(limitsOf(enabled), err)
		return
	}
	g.add(dir, tree.own)
	g.show(dir, tree)
	g.version2 = dir
	for _, controller := range enabled {
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

// parents2 are the folders that may hold a jail's: our own, the one above it (a
// delegated scope's), the top. A folder with processes cannot hand controllers on.
func parents2(tree hierarchy) []string {
	if tree.own == tree.top {
		return []string{tree.top}
	}
	return slices.Compact([]string{tree.own, filepath.Dir(tree.own), tree.top})
}

// parent2 picks the folder that can hand on most controllers, and says why the
// others stay closed.
func parent2(tree hierarchy) (best string, enabled []string, failed error) {
	present := words(filepath.Join(tree.top, "cgroup.controllers"))
	best = tree.own
	for _, dir := range parents2(tree) {
		var here []string
		for _, controller := range controllers2 {
			if !slices.Contains(present, controller) {
				continue
			}
			if err := enable(dir, controller); err != nil {
				failed = err
			} else {
				here = append(here, controller)
			}
		}
		if len(here) > len(enabled) {
			best, enabled = dir, here
		}
		if len(enabled) == len(controllers2) {
			return best, enabled, nil
		}
	}
	return best, enabled, failed
}

func enable(dir, controller string) error {
	if slices.Contains(words(filepath.Join(dir, "cgroup.subtree_control")), controller) {
		return nil
	}
	return put(dir, "cgroup.subtree_control", "+"+controller)
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
		return put(dir, "pids.max", strconv.FormatInt(want.tasks(), 10))
	case "cpu":
		return put(dir, "cpu.max", fmt.Sprintf("%d %d", quota(want), cpuPeriodMicros))
	}
	return nil
}
