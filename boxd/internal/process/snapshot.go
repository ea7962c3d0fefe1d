package process

import (
	"bytes"
	"cmp"
	"maps"
	"os"
	"slices"
	"strconv"
)

// entry is one process as /proc shows it.
type entry struct {
	pid, ppid, group, session int
	threads                   int
	state                     byte
	started                   uint64 // clock ticks after boot: with the pid, it names a process for good
	mark                      uint64
}

// dead says whether it only waits to be reaped. A process whose first thread has ended looks the same, and its other threads go on.
func (e entry) dead() bool { return (e.state == 'Z' || e.state == 'X') && e.threads <= 1 }

// snapshot lists the processes that /proc shows, also those that wait to be reaped; none when there is no /proc.
func snapshot() []entry {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1)
	entries := make([]entry, 0, len(names))
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if e, ok := readEntry(pid); ok {
			e.mark = readMark(pid)
			entries = append(entries, e)
		}
	}
	return entries
}

func readEntry(pid int) (entry, bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return entry{}, false
	}
	return parseStat(pid, stat)
}

// parseStat reads what follows the command's name, which may itself hold spaces and brackets.
func parseStat(pid int, stat []byte) (entry, bool) {
	end := bytes.LastIndexByte(stat, ')')
	if end < 0 {
		return entry{}, false
	}
	fields := bytes.Fields(stat[end+1:])
	if len(fields) < 20 {
		return entry{}, false
	}
	e := entry{pid: pid, state: fields[0][0]}
	for i, into := range []*int{&e.ppid, &e.group, &e.session} {
		value, err := strconv.Atoi(string(fields[i+1]))
		if err != nil {
			return entry{}, false
		}
		*into = value
	}
	var err error
	if e.threads, err = strconv.Atoi(string(fields[17])); err != nil {
		return entry{}, false
	}
	e.started, err = strconv.ParseUint(string(fields[19]), 10, 64)
	return e, err == nil
}

// closure adds to what begins says every child of a member, until nothing is added. The oldest comes first: a shell is asked to end before the
// command that it waits for, so that it ends by its own signal and not by its child's status.
func closure(all []entry, begins func(entry) bool, within func(entry) bool) []entry {
	members := map[int]entry{}
	for _, e := range all {
		if begins(e) {
			members[e.pid] = e
		}
	}
	for grown := true; grown; {
		grown = false
		for _, e := range all {
			_, has := members[e.pid]
			if _, child := members[e.ppid]; child && !has && within(e) {
				members[e.pid] = e
				grown = true
			}
		}
	}
	return slices.SortedFunc(maps.Values(members), func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.started, b.started), cmp.Compare(a.pid, b.pid))
	})
}
