package jail

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// hierarchy is one mounted cgroup tree and this process's place in it.
type hierarchy struct {
	version     int
	controllers []string // of a v1 mount; empty for v2, whose folders say it
	top         string   // the mount point
	own         string   // the folder that this process is in
}

// host says where the kernel's files are; tests put a faithful copy elsewhere.
type host struct {
	proc   string // "/proc"
	prefix string // put before every mount point, "" for the real ones
	mkdir  func(string) error
}

func realHost() host {
	return host{proc: "/proc", mkdir: makeSeen}
}

// makeSeen makes a folder that the jail's user may look into, whatever the platform's umask.
func makeSeen(dir string) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	return os.Chmod(dir, 0o755)
}

// hierarchies finds every cgroup tree from /proc/self/cgroup and
// /proc/self/mountinfo: distributions mount them in many ways.
func (h host) hierarchies() ([]hierarchy, error) {
	paths, err := h.ownPaths()
	if err != nil {
		return nil, err
	}
	file, err := os.Open(filepath.Join(h.proc, "self/mountinfo"))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var found []hierarchy
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if one, ok := h.hierarchy(lines.Text(), paths); ok {
			found = append(found, one)
		}
	}
	return found, lines.Err()
}

// ownPaths maps each controller, and "" for v2, to this process's path.
func (h host) ownPaths() (map[string]string, error) {
	text, err := os.ReadFile(filepath.Join(h.proc, "self/cgroup"))
	if err != nil {
		return nil, err
	}
	paths := map[string]string{}
	for line := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(parts) != 3 {
			continue
		}
		for controller := range strings.SplitSeq(parts[1], ",") {
			paths[controller] = parts[2]
		}
	}
	return paths, nil
}

func (h host) hierarchy(line string, paths map[string]string) (hierarchy, bool) {
	before, after, ok := strings.Cut(line, " - ")
	mount, kind := strings.Fields(before), strings.Fields(after)
	if !ok || len(mount) < 5 || len(kind) < 3 {
		return hierarchy{}, false
	}
	root, top := unescapeMount(mount[3]), h.prefix+unescapeMount(mount[4])
	switch kind[0] {
	case "cgroup2":
		return place(hierarchy{version: 2, top: top}, paths, "", root)
	case "cgroup":
		one := hierarchy{version: 1, top: top, controllers: known(strings.Split(kind[2], ","))}
		if len(one.controllers) == 0 {
			return hierarchy{}, false
		}
		return place(one, paths, one.controllers[0], root)
	}
	return hierarchy{}, false
}

func known(options []string) []string {
	return slices.DeleteFunc(options, func(option string) bool {
		return !slices.Contains([]string{"memory", "pids", "cpu", "freezer"}, option)
	})
}

// place completes a hierarchy; inside a container the mount may show only a part of the tree.
func place(one hierarchy, paths map[string]string, controller, root string) (hierarchy, bool) {
	path, ok := paths[controller]
	if !ok {
		return hierarchy{}, false
	}
	if root != "/" {
		path = strings.TrimPrefix(path, root)
	}
	one.own = filepath.Join(one.top, path)
	if _, err := os.Stat(one.own); err != nil {
		one.own = one.top
	}
	return one, true
}

var mountEscapes = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)

func unescapeMount(text string) string { return mountEscapes.Replace(text) }
