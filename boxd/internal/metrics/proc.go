package metrics

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

const (
	ticks     = 100 // a second; the kernel tells programs no other figure
	firstPid  = 1
	maxShown  = 100_000
	statSelf  = 11 // utime, stime, cutime, cstime begin here, after the command's name and the state
	statCount = 17 // threads
)

// usage is what one process uses. Time of children counts once they are waited for, so that the sum over all that live is complete.
type usage struct {
	ticks   int64
	bytes   int64
	threads int64
}

// readProc fills what no cgroup said, from the processes that are visible. Only a first process sees the whole sandbox, and nothing else:
// a jail's cgroup counts what supervises the jail as well, so the number of processes is always the one of those that are seen.
func (m *Metrics) readProc(root string, self int) {
	if self != firstPid {
		return
	}
	dir, err := os.Open(filepath.Join(root, "proc"))
	if err != nil {
		return
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(maxShown)
	var sum usage
	var count int64
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if one, ok := usageOf(filepath.Join(root, "proc", name)); ok {
			sum.ticks += one.ticks
			sum.bytes += one.bytes
			if pid != self {
				count += one.threads
			}
		}
	}
	if m.CPUSeconds == nil {
		seconds := float64(sum.ticks) / ticks
		m.CPUSeconds = &seconds
	}
	if m.MemoryBytes == nil {
		m.MemoryBytes = &sum.bytes
	}
	m.Processes = &count
}

func usageOf(dir string) (usage, bool) {
	stat, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return usage{}, false
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) <= statCount {
		return usage{}, false
	}
	var u usage
	for _, text := range fields[statSelf : statSelf+4] {
		if value := parse(string(text)); value != nil {
			u.ticks += *value
		}
	}
	if value := parse(string(fields[statCount])); value != nil {
		u.threads = *value
	}
	u.bytes = private(dir)
	return u, true
}

// private is the resident memory that is not shared with a file, so that each page counts about once.
func private(dir string) int64 {
	raw, err := os.ReadFile(filepath.Join(dir, "statm"))
	if err != nil {
		return 0
	}
	fields := bytes.Fields(raw)
	if len(fields) < 3 {
		return 0
	}
	resident, shared := parse(string(fields[1])), parse(string(fields[2]))
	if resident == nil || shared == nil {
		return 0
	}
	return max(*resident-*shared, 0) * int64(os.Getpagesize())
}
