package jail

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const jailOomScore = "500" // before the platform, should the host run out

// limits sets what nsjail and all below inherit; the launcher itself ends soon.
func (e *entry) limits() error {
	unlimited := ^uint64(0)
	wanted := map[int]uint64{
		unix.RLIMIT_CORE:       1, // 0 would still feed a core_pattern that is a pipe
		unix.RLIMIT_NOFILE:     uint64(e.Spec.Resources.OpenFiles),
		unix.RLIMIT_FSIZE:      unlimited, // the sized tmpfs says no space, as people expect
		unix.RLIMIT_AS:         unlimited, // memory is the cgroup's; runtimes reserve far more
		unix.RLIMIT_CPU:        unlimited,
		unix.RLIMIT_MEMLOCK:    8 << 20,
		unix.RLIMIT_MSGQUEUE:   819200,
		unix.RLIMIT_SIGPENDING: 4096,
		unix.RLIMIT_RTPRIO:     0,
		unix.RLIMIT_NICE:       0,
	}
	if e.box == nil || !e.box.enforced["pids"] {
		// Counted within the jail's user namespace, so it is the jail's own limit.
		wanted[unix.RLIMIT_NPROC] = uint64(e.Spec.Resources.tasks())
	}
	if e.box == nil { // an ordinary user's
		wanted[unix.RLIMIT_MSGQUEUE] = sharedQueueBytes
	}
	for limit, value := range wanted {
		if err := lower(limit, value); err != nil {
			return fmt.Errorf("set resource limit %d to %d: %w", limit, value, err)
		}
	}
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte(jailOomScore), 0)
	return nil
}

// lower sets soft and hard limit; an ordinary user keeps a lower hard limit.
func lower(limit int, value uint64) error {
	var now syscall.Rlimit
	if err := syscall.Getrlimit(limit, &now); err != nil {
		return err
	}
	if os.Geteuid() != 0 {
		value = min(value, now.Max)
	}
	return syscall.Setrlimit(limit, &syscall.Rlimit{Cur: value, Max: value})
}
