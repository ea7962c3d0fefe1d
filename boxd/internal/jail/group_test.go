package jail

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var want = Resources{CPUMillis: 1500, MemoryBytes: 64 << 20, Pids: 20, WorkspaceBytes: 1 << 20, TmpBytes: 1 << 20, OpenFiles: 100}

// tree is a faithful copy of what a kernel shows, in a folder of the test.
type tree struct {
	t    *testing.T
	root string
}

func newTree(t *testing.T, cgroup, mountinfo string) *tree {
	tr := &tree{t, t.TempDir()}
	tr.write("proc/self/cgroup", cgroup)
	tr.write("proc/self/mountinfo", mountinfo)
	return tr
}

func (tr *tree) write(path, content string) {
	full := filepath.Join(tr.root, path)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		tr.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
		tr.t.Fatal(err)
	}
}

func (tr *tree) read(path string) string {
	text, err := os.ReadFile(filepath.Join(tr.root, path))
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(text))
}

// host makes folders the way the kernel does: with their control files.
func (tr *tree) host(files ...string) host {
	return host{proc: filepath.Join(tr.root, "proc"), prefix: tr.root, mkdir: func(dir string) error {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
		for _, file := range files {
			tr.write(strings.TrimPrefix(filepath.Join(dir, file), tr.root), "max")
		}
		return nil
	}}
}

func (h host) group(t *testing.T, name string) *group {
	trees, err := h.hierarchies()
	if err != nil {
		t.Fatal(err)
	}
	return h.makeGroup(trees, name, want)
}

const mount2 = "30 1 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"

func TestLimitsOfVersion2(t *testing.T) {
	tr := newTree(t, "0::/user.slice/app.scope\n", mount2)
	top := "sys/fs/cgroup/"
	tr.write(top+"cgroup.controllers", "cpuset cpu io memory pids")
	tr.write(top+"user.slice/cgroup.subtree_control", "memory pids cpu")
	tr.write(top+"user.slice/app.scope/cgroup.procs", "1")
	g := tr.host("memory.max", "memory.swap.max", "pids.max", "cpu.max").group(t, "jail")
	dir := top + "user.slice/jail/"
	for file, value := range map[string]string{
		"memory.max": "67108864", "memory.swap.max": "0", "pids.max": "64", "cpu.max": "150000 100000",
	} {
		if got := tr.read(dir + file); got != value {
			t.Errorf("%s is %q, want %q", file, got, value)
		}
	}
	if len(g.reasons) != 0 || g.version2 == "" {
		t.Errorf("not enforced: %v", g.reasons)
	}
}

func TestVersion2WithoutDelegation(t *testing.T) {
	tr := newTree(t, "0::/user.slice/app.scope\n", mount2)
	tr.write("sys/fs/cgroup/cgroup.controllers", "cpu memory")
	tr.write("sys/fs/cgroup/user.slice/app.scope/cgroup.procs", "1")
	g := tr.host().group(t, "jail") // no control file can be written
	for _, limit := range cgroupLimits {
		if g.enforced[limit] || g.reasons[limit] == "" {
			t.Errorf("%s: enforced %v, reason %q", limit, g.enforced[limit], g.reasons[limit])
		}
	}
	if !strings.Contains(g.reasons["memory"], "delegated") {
		t.Errorf("reason %q does not name the delegation", g.reasons["memory"])
	}
}

const mounts1 = "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n" +
	"35 31 0:32 /docker/abc /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n" +
	"39 31 0:36 / /sys/fs/cgroup/pid\\040s rw - cgroup cgroup rw,pids\n" +
	"40 31 0:37 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,xattr,name=systemd\n"

func TestLimitsOfVersion1(t *testing.T) {
	tr := newTree(t, "5:pids:/p\n4:memory:/docker/abc/m\n2:cpu,cpuacct:/\n1:name=systemd:/\n", mounts1)
	for _, dir := range []string{"cpu,cpuacct/x", "memory/m/x", "pid s/p/x"} {
		tr.write("sys/fs/cgroup/"+dir, "")
	}
	g := tr.host("memory.limit_in_bytes", "memory.memsw.limit_in_bytes", "pids.max", "cpu.cfs_period_us", "cpu.cfs_quota_us").group(t, "jail")
	for file, value := range map[string]string{
		"memory/m/jail/memory.limit_in_bytes": "67108864", "memory/m/jail/memory.memsw.limit_in_bytes": "67108864",
		"pid s/p/jail/pids.max": "64", "cpu,cpuacct/jail/cpu.cfs_quota_us": "150000", "cpu,cpuacct/jail/cpu.cfs_period_us": "100000",
	} {
		if got := tr.read("sys/fs/cgroup/" + file); got != value {
			t.Errorf("%s is %q, want %q", file, got, value)
		}
	}
	if len(g.reasons) != 0 {
		t.Errorf("not enforced: %v", g.reasons)
	}
}

func TestVersion1WithoutSwapAccounting(t *testing.T) {
	tr := newTree(t, "4:memory:/\n", "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n")
	tr.write("sys/fs/cgroup/memory/x", "")
	g := tr.host("memory.limit_in_bytes").group(t, "jail")
	if g.enforced["memory"] || !strings.Contains(g.reasons["memory"], "swapaccount=1") {
		t.Errorf("memory enforced %v, reason %q", g.enforced["memory"], g.reasons["memory"])
	}
}

func TestNoCgroupAtAll(t *testing.T) {
	tr := newTree(t, "0::/\n", "1 0 0:1 / / rw - tmpfs tmpfs rw\n")
	g := tr.host().group(t, "jail")
	if len(g.dirs) != 0 || len(g.reasons) != 3 {
		t.Errorf("folders %v, reasons %v", g.dirs, g.reasons)
	}
}

// TestEndingForReal starts processes that fork in a real group of this host and ends them.
func TestEndingForReal(t *testing.T) {
	if os.Getuid() != 0 {
		t.Log("an ordinary user has no group here: only that its absence is named is checked")
		if g := realHost().group(t, "sandboxer-test"); len(g.reasons) == 0 {
			t.Error("an ordinary user was given every limit")
		}
		return
	}
	for _, kind := range []string{"cgroup2", "cgroup "} {
		t.Run(kind, func(t *testing.T) { endForReal(t, kind) })
	}
}

func endForReal(t *testing.T, kind string) {
	text, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, " - "+kind) {
			lines.WriteString(line)
		}
	}
	if lines.Len() == 0 {
		t.Logf("no %s is mounted on this host", kind)
		return
	}
	own, _ := os.ReadFile("/proc/self/cgroup")
	h := host{proc: newTree(t, string(own), lines.String()).root + "/proc", mkdir: realHost().mkdir}
	g := h.group(t, fmt.Sprintf("sandboxer-test-%d", os.Getpid()))
	for _, dir := range g.dirs {
		join := exec.Command("/bin/sh", "-c", "echo 0 > "+dir+"/cgroup.procs && { sleep 100 & setsid sleep 100 & wait; }")
		if err := join.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = join.Wait() }()
	}
	for _, dir := range g.dirs { // one that joins later would be nobody's to end
		for len(words(filepath.Join(dir, "cgroup.procs"))) == 0 {
			time.Sleep(pause)
		}
	}
	if err := g.end(); err != nil {
		t.Fatal(err)
	}
	for _, dir := range g.dirs {
		if _, err := os.Stat(dir); !os.IsNotExist(err) {
			t.Errorf("%s stayed", dir)
		}
	}
	if err := g.end(); err != nil {
		t.Errorf("a second end: %v", err)
	}
}
