package jail_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(60 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatalf("not within 60 s: %s", what)
}

func pidOf(process string) int {
	pid, _, _ := strings.Cut(process, ":")
	number, _ := strconv.Atoi(pid)
	return number
}

func running(process string) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pidOf(process)) + "/stat")
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

func (b *box) cgroups() []string { return strings.Fields(b.state["cgroups"]) }

func (b *box) mustBeGone() {
	b.t.Helper()
	eventually(b.t, "its processes are gone", func() bool { return !running(b.state["init"]) && !running(b.state["supervisor"]) })
	for _, path := range append(b.cgroups(), b.dir) {
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			b.t.Errorf("%s is still there: %v", path, err)
		}
	}
}

func TestLaunchUseKill(t *testing.T) {
	b := start(t)
	b.says("echo hello; id -u; pwd; echo $HOME", "hello\n1000\n/workspace\n/workspace")
	b.says("sleep 100 >/dev/null 2>&1 & setsid sleep 100 >/dev/null 2>&1 & echo ok", "ok")
	if got, err := b.kill(); err != nil || got["removed"] != "true" {
		t.Fatalf("kill: %v %v", got, err)
	}
	b.mustBeGone()
	if got, err := b.kill(); err != nil || got["removed"] != "false" {
		t.Fatalf("a second kill: %v %v", got, err)
	}
}

func TestTheSameIdentityIsNeverTwice(t *testing.T) {
	b := describe(t)
	states := make([]map[string]string, 4)
	var all sync.WaitGroup
	for i := range states {
		all.Go(func() {
			state, err := b.launch()
			if err != nil {
				t.Error(err)
			}
			states[i] = state
		})
	}
	all.Wait()
	for _, state := range states {
		if state["init"] == "" || state["init"] != states[0]["init"] {
			t.Errorf("got %q and %q for one identity", states[0]["init"], state["init"])
		}
	}
	b.state = states[0]
}

func TestLaunchAndKillAtOnceEndInOneOrTheOther(t *testing.T) {
	b := describe(t)
	for range 5 {
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				if _, err := b.launch(); err != nil {
					t.Errorf("launch: %v", err)
				}
			})
			both.Go(func() {
				if _, err := b.kill(); err != nil {
					t.Errorf("kill: %v", err)
				}
			})
		}
		both.Wait()
	}
	if _, err := b.kill(); err != nil {
		t.Fatal(err)
	}
	b.noCgroup()
	eventually(t, "no process of it is left", func() bool { return b.processes() == 0 })
}

func TestAnEndedJailIsReplaced(t *testing.T) {
	b := start(t)
	first := b.state
	for _, who := range []string{"init", "supervisor"} {
		if err := syscall.Kill(pidOf(b.state[who]), syscall.SIGKILL); err != nil {
			t.Fatalf("kill %s: %v", who, err)
		}
		eventually(t, "all of the jail ends with "+who, func() bool {
			return !running(b.state["init"]) && !running(b.state["supervisor"])
		})
		b.start()
		if b.state["init"] == first["init"] {
			t.Errorf("the ended jail was returned")
		}
		b.says("echo again", "again")
	}
}

func TestAFailedStartLeavesNothing(t *testing.T) {
	cases := map[string]struct {
		change func(*box)
		want   string
	}{
		"boxd refuses its config": {func(b *box) { b.spec["config"] = []byte(`{"unknown":1}`) }, "CRASH"},
		"boxd is no program":      {func(b *box) { b.spec["boxd"] = "/etc/passwd" }, "CRASH"},
		"boxd is not there":       {func(b *box) { b.spec["boxd"] = "/nowhere/boxd" }, "CRASH"},
		"nsjail is not there":     {func(b *box) { b.spec["nsjail"] = "/nowhere/nsjail" }, "UNAVAILABLE"},
		"nsjail is no program":    {func(b *box) { b.spec["nsjail"] = "/etc/passwd" }, "UNAVAILABLE"},
		"memory for nobody":       {func(b *box) { b.resource("memory_bytes", 4096) }, "VALIDATION"},
		"the socket path is long": {func(b *box) { b.spec["dir"] = "/tmp/" + strings.Repeat("x", 110) }, "VALIDATION"},
		"a relative folder":       {func(b *box) { b.spec["dir"] = "x" }, "VALIDATION"},
		"an unknown field":        {func(b *box) { b.spec["image"] = "x" }, "VALIDATION"},
		"a name with a path":      {func(b *box) { b.spec["identity"].(map[string]any)["name"] = "../../x" }, "VALIDATION"},
		"root's uid":              {func(b *box) { b.spec["uid"] = 0 }, "VALIDATION"},
	}
	for what, c := range cases {
		t.Run(what, func(t *testing.T) {
			b := describe(t)
			c.change(b)
			state, err := b.launch()
			if err == nil || state["error.code"] != c.want || state["error.left"] != "false" || len(state["error.message"]) < 10 {
				t.Errorf("got %v, %v; want code %s and nothing left", state, err, c.want)
			}
			if _, err := os.Stat(b.dir); err == nil {
				t.Errorf("folder %s stayed", b.dir)
			}
			b.noCgroup()
		})
	}
}

func (b *box) noCgroup() {
	b.t.Helper()
	_ = filepath.WalkDir("/sys/fs/cgroup", func(path string, entry os.DirEntry, err error) error {
		if err == nil && entry.IsDir() && strings.HasSuffix(path, b.name) {
			b.t.Errorf("cgroup %s stayed", path)
		}
		return nil
	})
}

func TestKillLeavesAForeignFolderAlone(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "precious"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := launcher("", "kill", "--dir", dir)
	if err == nil || !strings.Contains(got["error.message"], "precious") {
		t.Errorf("got %v, %v", got, err)
	}
	entries, _ := os.ReadDir(dir)
	if len(entries) != 1 {
		t.Errorf("the folder now holds %v", entries)
	}
	if _, err := launcher("", "kill", "--dir", filepath.Join(dir, "absent")); err != nil {
		t.Errorf("an absent folder: %v", err)
	}
	for _, args := range [][]string{{"kill"}, {"kill", "--dir", "x"}, {"kill", "--dir", dir, "more"}, {"nonsense"}, {"launch", "x"}} {
		if _, err := launcher("", args...); err == nil {
			t.Errorf("%v was taken", args)
		}
	}
}

func TestAStrayFileKeepsTheFolderAndNothingElse(t *testing.T) {
	b := start(t)
	stray := filepath.Join(b.dir, "notes")
	if err := os.WriteFile(stray, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		got, err := b.kill()
		if err == nil || got["error.code"] != "UNAVAILABLE" || got["error.left"] != "true" || !strings.Contains(got["error.message"], stray) {
			t.Fatalf("kill: %v %v", got, err)
		}
		if running(b.state["init"]) || running(b.state["supervisor"]) {
			t.Fatalf("it still runs after %q", got["error.message"])
		}
		b.noCgroup()
		for _, kept := range []string{stray, filepath.Join(b.dir, "state")} {
			if _, err := os.Stat(kept); err != nil {
				t.Error(err)
			}
		}
	}
	if err := os.Remove(stray); err != nil {
		t.Fatal(err)
	}
	if got, err := b.kill(); err != nil || got["removed"] != "true" {
		t.Fatalf("kill: %v %v", got, err)
	}
	b.mustBeGone()
}

// A launcher that is killed at any moment leaves nothing that kill does not find.
func TestALauncherKilledAtAnyMomentLeavesNothing(t *testing.T) {
	for after := time.Duration(0); after < 14*time.Millisecond; after += time.Millisecond {
		b := describe(t)
		interrupted(b, after)
		if _, err := b.kill(); err != nil {
			t.Fatalf("after %s: %v", after, err)
		}
		if _, err := os.Stat(b.dir); !os.IsNotExist(err) {
			t.Errorf("after %s: %s stayed", after, b.dir)
		}
		b.noCgroup()
		eventually(t, "no process of it is left", func() bool { return b.processes() == 0 })
	}
}

// The platform launches again when a launcher was killed.
func TestALaunchAfterAKilledOneMakesTheOnlyJail(t *testing.T) {
	for after := time.Duration(0); after < 14*time.Millisecond; after += 2 * time.Millisecond {
		b := describe(t)
		interrupted(b, after)
		b.start()
		b.says("echo here", "here")
		if count := b.processes(); count != 1 {
			t.Errorf("after %s: %d jails of one name", after, count)
		}
	}
}

// processes counts what carries the jail's name: its supervisor.
func (b *box) processes() int {
	count := 0
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range lines {
		text, _ := os.ReadFile(path)
		if strings.Contains(string(text), "\x00"+b.name+"\x00") {
			count++
		}
	}
	return count
}
