package metrics

import (
	"os"
	"path/filepath"
	"testing"
)

// tree makes files as a kernel shows them.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func equal[T comparable](t *testing.T, name string, got *T, want T) {
	t.Helper()
	if got == nil || *got != want {
		t.Errorf("%s is %v instead of %v", name, got, want)
	}
}

// withoutThisProcess wants what user code has: boxd's own threads are not among them.
func withoutThisProcess(t *testing.T, got *int64, all int64) {
	t.Helper()
	if got == nil || *got >= all || *got < all-1000 {
		t.Errorf("processes is %v instead of %d less the threads of this process", got, all)
	}
}

func TestVersionTwo(t *testing.T) {
	group := "sys/fs/cgroup/box/"
	root := tree(t, map[string]string{
		"proc/self/cgroup":        "0::/box\n",
		group + "cpu.stat":        "usage_usec 2500000\nuser_usec 1\n",
		group + "memory.current":  "1000\n",
		group + "memory.peak":     "2000\n",
		group + "memory.max":      "max\n",
		group + "memory.events":   "low 0\noom 3\noom_kill 2\n",
		group + "pids.current":    "70000\n",
		group + "pids.max":        "128\n",
		"sys/fs/cgroup/pids.max":  "9999\n",
		"sys/fs/cgroup/cpu.stat":  "usage_usec 1\n",
		"sys/fs/cgroup/memory.pk": "0\n",
	})
	m := Read(root, root, 0)
	equal(t, "cpu", m.CPUSeconds, 2.5)
	equal(t, "memory", m.MemoryBytes, 1000)
	equal(t, "peak", m.MemoryPeakBytes, 2000)
	equal(t, "oom", m.OOMKills, 2)
	withoutThisProcess(t, m.Processes, 70000)
	equal(t, "limit", m.ProcessesLimit, 128)
	if m.Source != "cgroup2" || m.MemoryLimitBytes != nil || m.DiskLimitBytes == nil || *m.DiskUsedBytes > *m.DiskLimitBytes {
		t.Errorf("%+v", m)
	}
}

// A container sees its own group as the root, whatever path its processes are said to be in.
func TestVersionOneInAContainer(t *testing.T) {
	root := tree(t, map[string]string{
		"proc/self/cgroup":                               "5:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc\n3:pids:/docker/abc\n1:name=systemd:/x\n",
		"sys/fs/cgroup/memory/memory.usage_in_bytes":     "10\n",
		"sys/fs/cgroup/memory/memory.max_usage_in_bytes": "20\n",
		"sys/fs/cgroup/memory/memory.limit_in_bytes":     "30\n",
		"sys/fs/cgroup/memory/memory.oom_control":        "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n",
		"sys/fs/cgroup/cpu,cpuacct/cpuacct.usage":        "1500000000\n",
		"sys/fs/cgroup/pids/pids.current":                "70000\n",
		"sys/fs/cgroup/pids/pids.max":                    "max\n",
	})
	m := Read(root, root, 64)
	equal(t, "cpu", m.CPUSeconds, 1.5)
	equal(t, "memory", m.MemoryBytes, 10)
	equal(t, "peak", m.MemoryPeakBytes, 20)
	equal(t, "limit", m.MemoryLimitBytes, 30)
	equal(t, "oom", m.OOMKills, 1)
	withoutThisProcess(t, m.Processes, 70000)
	equal(t, "limit", m.ProcessesLimit, 64) // user code's, whatever the group allows
	if m.Source != "cgroup1" {
		t.Errorf("%+v", m)
	}
}

func TestVersionOneWithoutALimit(t *testing.T) {
	root := tree(t, map[string]string{
		"proc/self/cgroup":                           "5:memory:/\n",
		"sys/fs/cgroup/memory/memory.usage_in_bytes": "10\n",
		"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
	})
	if m := Read(root, root, 0); m.MemoryLimitBytes != nil || m.CPUSeconds != nil || m.Processes != nil {
		t.Errorf("%+v", m)
	}
}

func TestProcessesWhereNoCgroupIsVisible(t *testing.T) {
	stat := " (a) b) S 0 1 1 0 -1 0 0 0 0 0 100 50 25 25 20 0 1 0 99 0 0"
	root := tree(t, map[string]string{
		"proc/self/cgroup": "0::/\n", "proc/1/stat": "1" + stat, "proc/1/statm": "100 50 20 1 0 1 0",
		"proc/7/stat": "7" + stat, "proc/7/statm": "100 30 10 1 0 1 0", "proc/version": "x", "proc/9/stat": "broken",
	})
	m := Metrics{Source: "proc"}
	m.readProc(root, 1)
	equal(t, "cpu", m.CPUSeconds, 4)
	equal(t, "memory", m.MemoryBytes, 50*int64(os.Getpagesize()))
	equal(t, "processes", m.Processes, 1) // beside this one
	other := Metrics{}
	other.readProc(root, 50) // not the first process: what it sees is not the sandbox
	if other.CPUSeconds != nil || other.MemoryBytes != nil || other.Processes != nil {
		t.Errorf("%+v", other)
	}
}
