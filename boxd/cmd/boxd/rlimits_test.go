package main

import (
	"strings"
	"testing"
)

func TestCommandsInheritTheLimitsOfBoxd(t *testing.T) {
	s := prepare(t)
	s.command.Args = append(s.command.Args, "--rlimit", "nofile=200", "--rlimit", "nproc=4000", "--rlimit", "core=1")
	s.launch(nil)
	s.configure(`{"env":{}}`)
	limits := s.sh("cat /proc/self/limits").Stdout
	if !strings.Contains(limits, "Max open files") {
		t.Fatal(limits)
	}
	for line := range strings.SplitSeq(limits, "\n") {
		words := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "Max open files"):
			expect(t, words[3:5], "200")
		case strings.HasPrefix(line, "Max processes"):
			expect(t, words[2:4], "4000")
		case strings.HasPrefix(line, "Max core file size"):
			expect(t, words[4:6], "1")
		}
	}
}

func expect(t *testing.T, got []string, want string) {
	t.Helper()
	for _, limit := range got {
		if limit != want {
			t.Fatalf("%v, not %s", got, want)
		}
	}
}
