package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

// The forms in which a process can get away from the command that started it.
var escapes = map[string]string{
	"child":             `sleep 600 & echo $! > pid; wait`,
	"setsid":            `setsid sh -c 'echo $$ > pid; exec sleep 600' & wait`,
	"double fork":       `(sh -c 'echo $$ > pid; exec sleep 600' &) ; sleep 600`,
	"daemon":            `setsid sh -c '(setsid sh -c "echo \$\$ > pid; exec sleep 600" &)' ; sleep 600`,
	"clean environment": `setsid env -i sh -c '(/usr/bin/env -i /usr/bin/setsid /bin/sh -c "echo \$\$ > pid; exec /bin/sleep 600" &)' ; sleep 600`,
	"job control":       `set -m; sh -c 'echo $$ > pid; exec sleep 600' & sleep 600`,
	"deaf to signals":   `trap '' TERM INT HUP; sh -c 'trap "" TERM INT HUP; echo $$ > pid; sleep 600' & sleep 600`,
	"stopped":           `sh -c 'echo $$ > pid; kill -STOP $$' & sleep 600`,
	"without its mark":  `bash -c 'ulimit -R 1000; echo $$ > pid; exec sleep 600' & sleep 600`,
}

func TestTimeoutKillsEverythingThatTheCommandStartedAndNothingElse(t *testing.T) {
	for name, line := range escapes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			s.sh("setsid sh -c 'echo $$ > other; exec sleep 600' >/dev/null 2>&1 &")
			other := s.pidIn("other")
			pid := 0
			for ms := 1000; pid == 0 && ms < 20_000; ms *= 2 { // a slow machine needs more time to get so far
				reply := s.exec(settings{"command": []string{"sh", "-c", "echo begun; " + line}, "timeout_ms": ms})
				if !reply.TimedOut || reply.ExitCode != nil || *reply.Signal != "SIGKILL" {
					t.Fatalf("%+v", reply)
				}
				if raw, _ := os.ReadFile(s.in("pid")); len(raw) > 0 && reply.Stdout == "begun\n" {
					pid = s.pidIn("pid")
				}
			}
			if pid == 0 || alive(pid) {
				t.Error("what left the command lives, or never was", pid)
			}
			if !alive(other) {
				t.Error("another command's process was killed")
			}
		})
	}
}

func TestTimeoutEndsAForkBomb(t *testing.T) {
	s := start(t)
	reply := s.exec(settings{"command": []string{"sh", "-c", `f() { setsid sh -c 'sleep 600' & }; i=0; while [ $i -lt 150 ]; do f; i=$((i+1)); done; echo all; while :; do sleep 0.01 & done`}, "timeout_ms": 2000})
	if !reply.TimedOut {
		t.Fatalf("%+v", reply)
	}
	for _, pid := range childrenOf(s.command.Process.Pid) {
		if number, _ := strconv.Atoi(pid); alive(number) {
			t.Fatalf("process %s is left", pid)
		}
	}
	eventually(t, "no zombie is left either", func() bool { return len(childrenOf(s.command.Process.Pid)) == 0 })
}

func TestTimeoutLeavesAnotherDaemonsProcessesAlone(t *testing.T) {
	a, b := start(t), start(t)
	done := make(chan execReply)
	go func() { done <- b.exec(settings{"command": "touch begun; while [ ! -e go ]; do sleep 0.01; done"}) }()
	eventually(t, "the other daemon's command runs", func() bool { return exists(b.in("begun")) })
	for range 5 { // whichever number its mark has among them
		if got := a.exec(settings{"command": []string{"sleep", "600"}, "timeout_ms": 50}); !got.TimedOut {
			t.Fatalf("%+v", got)
		}
	}
	must(t, os.WriteFile(b.in("go"), nil, 0o644))
	if got := <-done; got.ExitCode == nil || *got.ExitCode != 0 {
		t.Fatalf("%+v", got)
	}
}

// childrenOf lists the direct children, zombies included.
func childrenOf(pid int) []string {
	var all []string
	tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	for _, task := range tasks {
		raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, task.Name()))
		all = append(all, strings.Fields(string(raw))...)
	}
	return all
}

func TestOrphansAreReaped(t *testing.T) {
	s := start(t)
	s.sh("for i in 1 2 3 4 5 6 7 8 9; do (setsid sh -c 'sleep 0.02' &) ; done")
	eventually(t, "no zombie is left", func() bool { return len(childrenOf(s.command.Process.Pid)) == 0 })
}

// fieldOfStat is a number of /proc/PID/stat after the name and the state: 1 is the parent.
func (s *sandbox) fieldOfStat(pid, index int) float64 {
	s.t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	must(s.t, err)
	fields := strings.Fields(string(raw[strings.LastIndex(string(raw), ")")+1:]))
	value, err := strconv.ParseFloat(fields[index], 64)
	must(s.t, err)
	return value
}
