// Command probes tries to get out of a sandbox, or to reach what its rules
// close. Every attempt ends with an answer: "through", the name of an errno, or
// what was seen. Inside, an answer must be one of those that show that the rule
// held; outside, where nothing is closed, the same attempt must answer something
// else, because a probe that cannot go through proves nothing.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const usage = `usage: probes inside       try everything in a sandbox
       probes outside      the positive controls: as root, where nothing is closed
       probes table        what is tried and answered, for docs/security.md
       probes try NAME     one attempt, in this process
`

// The longest an attempt may take; none waits for anything but a connection.
const patience = 10 * time.Second

func main() {
	arguments := os.Args[1:]
	switch {
	case len(arguments) == 1 && (arguments[0] == "inside" || arguments[0] == "outside"):
		report(all(), arguments[0] == "outside")
	case len(arguments) == 1 && arguments[0] == "table":
		fmt.Print(table(all()))
	case len(arguments) == 2 && arguments[0] == "try":
		attempt(arguments[1], os.Getenv(machine))
	case len(arguments) == 1 && arguments[0] == "hold":
		_, _ = os.Stdin.Read(make([]byte, 1)) // until whoever started it has ended
	default:
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	}
}

// outcome is a line of JSON: which attempt, and what came of it.
type outcome struct {
	Name   string `json:"name"`
	Rule   string `json:"rule"`
	Tries  string `json:"tries"`
	Answer string `json:"answer"`
	Held   bool   `json:"held"`
}

// report makes each attempt in a process of its own: some end it.
func report(probes []probe, outside bool) {
	lines := json.NewEncoder(os.Stdout)
	for _, p := range probes {
		answer := alone(p.name, outside)
		if err := lines.Encode(outcome{p.name, p.rule, p.tries, answer, p.holds(answer)}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// alone makes an attempt in a process of its own. Outside it gets mounts of its own as well, before its first
// instruction: what it mounts and unmounts must never be the machine's.
func alone(name string, outside bool) string {
	within, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	command := exec.CommandContext(within, "/proc/self/exe", "try", name)
	command.Env = append(os.Environ(), "GODEBUG=containermaxprocs=0,updatemaxprocs=0") // which would hold descriptors
	if outside {
		command.Env = append(command.Env, machine+"="+mounts())
		command.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS} // and none of them is shared
	}
	command.Stderr = os.Stderr
	text, err := command.Output()
	if status, ok := command.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return unix.SignalName(status.Signal())
	}
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(text))
}

// machine is the variable with the machine's own set of mounts, in which no attempt outside is made.
const machine = "PROBES_MACHINE"

// mounts names the set of mounts that this process sees.
func mounts() string {
	name, err := os.Readlink("/proc/self/ns/mnt")
	if err != nil {
		return err.Error()
	}
	return name
}

func attempt(name, outside string) {
	if outside == mounts() {
		fmt.Fprintln(os.Stderr, "an attempt outside needs mounts of its own")
		os.Exit(2)
	}
	for _, p := range all() {
		if p.name == name {
			fmt.Println(answer(p.try(target{outside != ""})))
			return
		}
	}
	fmt.Fprintf(os.Stderr, "there is no probe %q\n", name)
	os.Exit(2)
}
