package metrics

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// groups are the folders of this process's cgroups, as far as they can be seen.
type groups struct {
	two string            // the unified hierarchy's
	one map[string]string // version 1's by controller
}

const mount = "sys/fs/cgroup"

// groupsOf finds the folders. In a container the hierarchy's root is often the container's own group, whatever /proc/self/cgroup calls it.
func groupsOf(root string) groups {
	found := groups{one: map[string]string{}}
	raw, _ := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	for line := range strings.Lines(string(raw)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		if parts[1] == "" {
			found.two = visible("memory.current", filepath.Join(root, mount), parts[2])
			continue
		}
		for _, controller := range strings.Split(parts[1], ",") {
			file, wanted := map[string]string{"memory": "memory.usage_in_bytes", "cpuacct": "cpuacct.usage", "pids": "pids.current"}[controller]
			if !wanted {
				continue
			}
			for _, folder := range []string{controller, parts[1], "cpu,cpuacct"} {
				if dir := visible(file, filepath.Join(root, mount, folder), parts[2]); dir != "" && found.one[controller] == "" {
					found.one[controller] = dir
				}
			}
		}
	}
	return found
}

// visible is the first folder that has the file: the group's below the mount, or the mount itself.
func visible(file, mount, group string) string {
	for _, dir := range []string{filepath.Join(mount, group), mount} {
		if _, err := os.Stat(filepath.Join(dir, file)); err == nil {
			return dir
		}
	}
	return ""
}

func (m *Metrics) readTwo(dir string) {
	if micros := field(dir, "cpu.stat", "usage_usec"); micros != nil {
		seconds := float64(*micros) / 1e6
		m.CPUSeconds = &seconds
	}
	m.MemoryBytes = number(dir, "memory.current")
	m.MemoryPeakBytes = number(dir, "memory.peak")
	m.MemoryLimitBytes = number(dir, "memory.max")
	m.Processes = number(dir, "pids.current")
	m.ProcessesLimit = number(dir, "pids.max")
	m.OOMKills = field(dir, "memory.events", "oom_kill")
}

// unlimited is from where on version 1's memory limit means that there is none.
const unlimited = int64(1) << 62

func (m *Metrics) readOne(dirs map[string]string) {
	if nanos := number(dirs["cpuacct"], "cpuacct.usage"); nanos != nil {
		seconds := float64(*nanos) / 1e9
		m.CPUSeconds = &seconds
	}
	m.MemoryBytes = number(dirs["memory"], "memory.usage_in_bytes")
	m.MemoryPeakBytes = number(dirs["memory"], "memory.max_usage_in_bytes")
	if limit := number(dirs["memory"], "memory.limit_in_bytes"); limit != nil && *limit < unlimited {
		m.MemoryLimitBytes = limit
	}
	m.OOMKills = field(dirs["memory"], "memory.oom_control", "oom_kill")
	m.Processes = number(dirs["pids"], "pids.current")
	m.ProcessesLimit = number(dirs["pids"], "pids.max")
}

// number reads a file that holds one; "max" and anything else is none.
func number(dir, file string) *int64 {
	if dir == "" {
		return nil
	}
	raw, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		return nil
	}
	return parse(string(bytes.TrimSpace(raw)))
}

// field reads a line "name number" of a file.
func field(dir, file, name string) *int64 {
	if dir == "" {
		return nil
	}
	raw, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(raw)) {
		if value, found := strings.CutPrefix(line, name+" "); found {
			return parse(strings.TrimSpace(value))
		}
	}
	return nil
}

func parse(text string) *int64 {
	value, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil
	}
	return &value
}
