package jail_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// enforced says whether a limit is in force here; if not, the state must say so.
func (b *box) enforced(limit string) bool {
	b.t.Helper()
	missing := strings.Contains(","+b.state["not_enforced"]+",", ","+limit+",")
	if missing && os.Geteuid() == 0 {
		b.t.Errorf("root should be able to enforce %s", limit)
	}
	return !missing
}

func (b *box) number(command string) int {
	b.t.Helper()
	got := b.sh(command)
	number, err := strconv.Atoi(strings.TrimSpace(got.Out))
	if err != nil {
		b.t.Fatalf("%s: out %q, err %q", command, got.Out, got.Err)
	}
	return number
}

func TestMemoryIsLimitedAndTheEndIsNamed(t *testing.T) {
	b := start(t)
	if !b.enforced("memory") {
		return
	}
	b.bring(prober, "prober")
	if got := b.ask("eat", "50"); got != "50" {
		t.Errorf("control: 50 MB: %q", got)
	}
	got := b.sh("/workspace/prober eat 2000; echo ended $?")
	if !strings.Contains(got.Out+got.Err, "137") {
		t.Errorf("2000 MB in 256 MB: %q", got.Out+got.Err)
	}
	if got.OOMKills != 1 {
		t.Errorf("the answer counts %d processes that ended for lack of memory", got.OOMKills)
	}
	b.says("echo goes on", "goes on")
	counted := false
	for _, dir := range b.cgroups() {
		for _, file := range []string{"memory.oom_control", "memory.events"} {
			text, _ := os.ReadFile(filepath.Join(dir, file))
			counted = counted || strings.Contains(string(text), "oom_kill ") && !strings.Contains(string(text), "oom_kill 0")
		}
	}
	if !counted {
		t.Error("no cgroup counted the end for lack of memory")
	}
}

func TestProcessesAreLimited(t *testing.T) {
	b := start(t)
	b.bring(prober, "prober")
	if got := b.number("/workspace/prober forks 5"); got != 5 {
		t.Errorf("control: 5 processes: %d", got)
	}
	if got := b.number("/workspace/prober forks 500"); got < 5 || got > 64 {
		t.Errorf("a jail of 64 processes made %d", got)
	}
	if got, err := b.kill(); err != nil {
		t.Fatalf("kill of a full jail: %v %v", got, err)
	}
	b.mustBeGone()
}

func TestCPUIsLimited(t *testing.T) {
	b := describe(t).resource("cpu_millis", 200).start()
	if !b.enforced("cpus") {
		return
	}
	// Per cent of the time that really passed, which may be more than a second.
	busy := "read a rest < /proc/uptime; timeout 1 sh -c 'while :; do :; done'; read b rest < /proc/uptime; " +
		"awk -v a=$a -v b=$b '{print int(($14+$15+$16+$17) / (b-a))}' /proc/$$/stat"
	if inside := b.number(busy); inside > 45 {
		t.Errorf("a fifth of a CPU was used to %d %%", inside)
	}
	throttled := false // so it was the limit that held it, and not that others had the processor
	for _, dir := range b.cgroups() {
		text, _ := os.ReadFile(filepath.Join(dir, "cpu.stat"))
		throttled = throttled || strings.Contains(string(text), "nr_throttled ") && !strings.Contains(string(text), "nr_throttled 0\n")
	}
	if !throttled {
		t.Error("no cgroup held it back")
	}
}

// hold lets a jail take all of something, says how much, and keeps it until the jail ends.
func (b *box) hold(what string) int {
	b.t.Helper()
	b.bring(prober, "prober")
	b.sh("mkfifo /workspace/stay; (exec 3<>/workspace/stay; /workspace/prober " + what + " 4000 <&3 >/workspace/taken 2>&1) >/dev/null 2>&1 &")
	eventually(b.t, what+" is taken", func() bool { return b.sh("cat /workspace/taken").Out != "" })
	return b.number("cat /workspace/taken")
}

// What one jail exhausts, the next one and the host still get.
func TestOneJailDoesNotStarveAnotherOrTheHost(t *testing.T) {
	for _, what := range []string{"inotify", "pipes", "mqueues"} {
		t.Run(what, func(t *testing.T) {
			greedy, other := describe(t).resource("open_files", 4096).start(), start(t)
			taken := greedy.hold(what)
			if taken < 2 {
				t.Fatalf("control: the greedy jail got only %d", taken)
			}
			if what == "pipes" && !greedy.enforced("uid") {
				return // pipe memory is counted by uid alone, and the record says that there is none
			}
			other.bring(prober, "prober")
			if got := other.number("/workspace/prober " + what + " 2 < /dev/null"); got != 2 {
				t.Errorf("another jail got %d of 2 while one held %d", got, taken)
			}
			if got := control(what, "2"); got != "2" {
				t.Errorf("the host got %s of 2 while a jail held %d", got, taken)
			}
		})
	}
}

func TestTheSessionKeyringIsNotThePlatforms(t *testing.T) {
	b := start(t)
	if got := b.ask("call", "250", "0", "-3", "0"); got != "EPERM" { // keyctl
		t.Errorf("keyctl inside: %q", got)
	}
	if got := control("call", "250", "0", "-3", "0"); got != "ok" {
		t.Errorf("control: keyctl outside: %q", got)
	}
	b.says("ulimit -c; cat /proc/self/limits | awk '/core/ {print $5, $6}'", "0\n1 1")
	b.says("ulimit -n", "256")
}

// nsjail's own read-only bind leaves a mount below its source writable.
func TestAMountBelowTheHostsProgramsIsReadOnlyToo(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Log("only root can put a mount below /usr")
		return
	}
	dir, err := os.MkdirTemp("/usr/local", "sbx-nested")
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(dir)
	if text, err := exec.Command("mount", "-t", "tmpfs", "-o", "mode=777", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	defer func() { _ = exec.Command("umount", dir).Run() }()
	b := start(t)
	held(t, b, "a nested mount", "echo x > "+dir+"/x", "Read-only file system", "echo x > "+dir+"/x && echo wrote", "wrote")
	b.says("cat "+dir+"/x", "x")
}

func TestTheDeadlineEndsTheJailByItself(t *testing.T) {
	b := start(t)
	begin := time.Now()
	if code, text := b.call("POST", "/v1/control/deadline", "admin", []byte(`{"deadline_seconds":1}`)); code != 204 {
		t.Fatalf("%d %s", code, text)
	}
	eventually(t, "the deadline", func() bool { return !running(b.state["init"]) && !running(b.state["supervisor"]) })
	if time.Since(begin) < time.Second {
		t.Error("it ended before its deadline")
	}
}
