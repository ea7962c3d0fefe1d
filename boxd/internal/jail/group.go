package jail

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// groupsTop is where programs look for control groups.
const groupsTop = "/sys/fs/cgroup"

// limits that cgroups carry, in the order that people read them.
var cgroupLimits = []string{"memory", "pids", "cpus"}

// group is one jail's own folder in every hierarchy that limits or tracks it.
type group struct {
	dirs     []string
	version2 string            // the folder in the v2 tree, "" without one
	homes    []string          // where the launcher's thread was, to go back to
	shown    []shown           // the folders that the jail sees
	enforced map[string]bool   // by limit
	reasons  map[string]string // why a limit is not enforced
}

// shown is a jail's folder of one hierarchy and where the jail sees it, read-only:
// boxd reads there what the kernel counts, and runtimes how much memory they have.
type shown struct {
	Dir string
	At  string
}

// show lets the jail see a folder where programs look for it.
func (g *group) show(dir string, tree hierarchy) {
	if tree.top == groupsTop || strings.HasPrefix(tree.top, groupsTop+"/") {
		g.shown = append(g.shown, shown{dir, tree.top})
	}
}

// plan names every folder that makeGroup may make, so that they can be written
// down first: a crash in between leaves nothing unknown.
func plan(trees []hierarchy, name string) *group {
	g := &group{}
	for _, tree := range trees {
		parents := []string{tree.own}
		if tree.version == 2 {
			parents = parents2(tree)
		}
		for _, parent := range parents {
			g.add(filepath.Join(parent, name), tree.own)
		}
	}
	return g
}

// makeGroup makes the folders and writes the limits. What cannot be had is
// named in reasons.
func (h host) makeGroup(trees []hierarchy, name string, want Resources) *group {
	g := &group{enforced: map[string]bool{}, reasons: map[string]string{}}
	for _, limit := range cgroupLimits {
		g.reasons[limit] = "no cgroup controller for it is mounted"
	}
	unified := slices.ContainsFunc(trees, func(t hierarchy) bool { return t.version == 2 })
	for _, tree := range trees {
		if tree.version == 2 {
			h.join2(g, tree, name, want)
		} else if !unified || !slices.Equal(tree.controllers, []string{"freezer"}) {
			h.join1(g, tree, name, want)
		}
	}
	return g
}

func (g *group) refuse(limits []string, reason error) {
	for _, limit := range limits {
		if !g.enforced[limit] {
			g.reasons[limit] = reason.Error()
		}
	}
}

func (g *group) accept(limit string) {
	g.enforced[limit] = true
	delete(g.reasons, limit)
}

func (g *group) add(dir, home string) {
	g.dirs = append(g.dirs, dir)
	g.homes = append(g.homes, home)
}

func (h host) makeDir(dir string) error {
	err := h.mkdir(dir)
	if errors.Is(err, fs.ErrExist) { // left by an earlier try of this name: it has to be empty
		if err := os.Remove(dir); err != nil {
			return fmt.Errorf("cgroup %s is in use: %w", dir, err)
		}
		err = h.mkdir(dir)
	}
	return err
}

func limitOf(controller string) string {
	if controller == "cpu" {
		return "cpus"
	}
	return controller
}

// put writes a control file that has to be there already.
func put(dir, file, value string) error {
	out, err := os.OpenFile(filepath.Join(dir, file), os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	_, err = out.WriteString(value)
	return errors.Join(err, out.Close())
}

func words(path string) []string {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return strings.Fields(string(text))
}
