package jail

import (
	"fmt"
	"os"
	"strings"
)

const (
	hostname   = "sandbox"
	listenerFD = 3
)

// nsjailConfig is nsjail's settings file. Limits, the network namespace and the
// one of IPC are the launcher's (nsjail counts RLIMIT_CORE in megabytes, and a
// second namespace only costs time), all other namespaces nsjail's.
func (e *entry) nsjailConfig(env []string) string {
	var text strings.Builder
	fmt.Fprintf(&text, "mode: ONCE\nhostname: %q\ncwd: \"/workspace\"\ntime_limit: 0\nlog_level: WARNING\n", hostname)
	fmt.Fprintf(&text, "keep_env: false\nkeep_caps: false\ndisable_rl: true\nnice_level: 0\npass_fd: %d\n", listenerFD)
	text.WriteString("clone_newnet: false\nclone_newuser: true\nclone_newns: true\nclone_newpid: true\n" +
		"clone_newipc: false\nclone_newuts: true\nclone_newcgroup: true\nmount_proc: false\n")
	fmt.Fprintf(&text, "uidmap { inside_id: \"%d\" outside_id: \"%d\" count: 1 }\n", insideID, e.UID)
	fmt.Fprintf(&text, "gidmap { inside_id: \"%d\" outside_id: \"%d\" count: 1 }\n", insideID, e.GID)
	fmt.Fprintf(&text, "mount { src: %q dst: \"/\" is_bind: true rw: false }\n", rootDir)
	text.WriteString("mount { dst: \"/proc\" fstype: \"proc\" rw: false }\n")
	// Processes alone, and nothing else of /proc: boxd writes there whom the kernel shall end first.
	text.WriteString("mount { dst: \"" + insideDir + "/proc\" fstype: \"proc\" rw: true options: \"subset=pid\" nosuid: true nodev: true noexec: true }\n")
	text.WriteString("mount { dst: \"/dev/pts\" fstype: \"devpts\" rw: true options: \"newinstance,ptmxmode=0666,mode=0620\" }\n")
	for _, pair := range env {
		fmt.Fprintf(&text, "envar: %s\n", quoted(pair))
	}
	for _, name := range masked {
		if readable("/proc/" + name) {
			fmt.Fprintf(&text, "mount { src: \"/dev/null\" dst: \"/proc/%s\" is_bind: true rw: false }\n", name)
		}
	}
	return text.String()
}

// readable says whether other users may read a file; what they may not open
// nsjail cannot cover, and does not have to.
func readable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().Perm()&0o004 != 0
}

// command is nsjail's argument list. The name is there so that a jail can be
// found among the processes of a host without cgroups.
func (e *entry) command() []string {
	args := []string{"nsjail", "--config", configCfg, "--rw", "--hostname", e.Spec.Identity.Name, "--", insideDir + "/boxd"}
	args = append(args, e.Spec.Arguments...)
	return append(args, "--config", insideDir+"/boxd.json", "--listen", fmt.Sprintf("fd:%d", listenerFD))
}
