package process

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// A descendant that calls setsid and forks twice keeps neither parent, group nor session of the command that began it. What it does keep
// is its resource limits. So each command starts with a soft RLIMIT_RTTIME of its own: a number that no ordinary program sets,
// that only real-time threads would ever reach (in 146,000 years), and that anyone may read in /proc/PID/limits. An environment
// variable would be lost in `env -i` and in daemons that write over their environment; a supervisor per command costs an exec.
const rlimitRTTime = 15

const (
	markBase  = uint64(1) << 62
	markCount = uint64(1) << 40
)

type marker struct {
	usual syscall.Rlimit
	works bool
}

func newMarker() marker {
	var m marker
	if syscall.Getrlimit(rlimitRTTime, &m.usual) != nil || m.usual.Max < markBase+markCount {
		return m
	}
	m.works = m.set(markBase) == nil && m.set(m.usual.Cur) == nil
	return m
}

// wear makes boxd itself carry the mark, for the length of one fork.
func (m marker) wear(mark uint64) {
	if m.works {
		_ = m.set(mark)
	}
}

func (m marker) takeOff() {
	if m.works {
		_ = m.set(m.usual.Cur)
	}
}

func (m marker) set(soft uint64) error {
	return syscall.Setrlimit(rlimitRTTime, &syscall.Rlimit{Cur: soft, Max: m.usual.Max})
}

// readMark returns the mark of a process, or 0 if it has none.
func readMark(pid int) uint64 {
	limits, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/limits")
	if err != nil {
		return 0
	}
	return parseMark(limits)
}

func parseMark(limits []byte) uint64 {
	_, line, found := bytes.Cut(limits, []byte("Max realtime timeout"))
	if !found {
		return 0
	}
	fields := bytes.Fields(line)
	if len(fields) == 0 {
		return 0
	}
	mark, err := strconv.ParseUint(string(fields[0]), 10, 64)
	if err != nil || mark < markBase || mark >= markBase+markCount {
		return 0
	}
	return mark
}
