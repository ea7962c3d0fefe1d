package seccomp_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"dev.sandboxer/boxd/internal/seccomp"
)

const (
	behind   = "SECCOMP_TEST_BEHIND"
	shielded = "SECCOMP_TEST_SHIELDED" // the highest number that is
)

var prober string

// TestMain is also the process that puts the filter on and then becomes the prober.
func TestMain(m *testing.M) {
	if program := os.Getenv(behind); program != "" {
		become(program)
	}
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "seccomp")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		prober = filepath.Join(dir, "prober")
		build := exec.Command("go", "build", "-trimpath", "-o", prober, "./testdata/prober")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if text, err := build.CombinedOutput(); err != nil {
			panic(fmt.Sprintf("%v: %s", err, text))
		}
		return m.Run()
	}())
}

func become(program string) {
	if err := seccomp.Install(); err != nil {
		panic(err)
	}
	if highest, err := strconv.Atoi(os.Getenv(shielded)); err == nil {
		runtime.LockOSThread()
		if err := seccomp.Shield(highest); err != nil {
			panic(err)
		}
	}
	panic(syscall.Exec(program, append([]string{program}, os.Args[1:]...), nil))
}

// filtered runs a program behind the filter; the text is what it printed, or
// the signal that ended it.
func filtered(program string, args ...string) string {
	return outcome(filteredCommand(program, args...))
}

func filteredCommand(program string, args ...string) *exec.Cmd {
	command := exec.Command("/proc/self/exe", args...)
	command.Env = []string{behind + "=" + program}
	return command
}

func open(program string, args ...string) string { return outcome(exec.Command(program, args...)) }

func outcome(command *exec.Cmd) string {
	text, _ := command.CombinedOutput()
	if status, ok := command.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return status.Signal().String()
	}
	return strings.TrimSpace(string(text))
}

func TestCallsWhoseArgumentsDecide(t *testing.T) {
	cases := []struct {
		what            string
		inside, outside string
		args            []string
	}{
		{"a Unix socket", "ok", "ok", call(41, 1, 1)},
		{"an internet socket", "ok", "ok", call(41, 2, 1)},
		{"an IPv6 socket", "ok", "ok", call(41, 10, 1)},
		{"a netlink socket", "EAFNOSUPPORT", "ok", call(41, 16, 3)},
		{"a vsock socket", "EAFNOSUPPORT", "", call(41, 40, 1)},
		{"a kernel crypto socket", "EAFNOSUPPORT", "", call(41, 38, 5)},
		{"a user namespace by unshare", "EPERM", "EINVAL", call(272, 0x10000000)},
		{"personality as it is", "ok", "ok", call(135, 0xffffffff)},
		{"personality without address randomisation", "EPERM", "ok", call(135, 0x40000)},
		{"own limits", "ok", "ok", []string{"prlimit", "0"}},
		{"own affinity", "EFAULT", "EFAULT", call(203, 0, 8, 0)},
		{"another's affinity", "EPERM", "EFAULT", call(203, os.Getppid(), 8, 0)},
		{"own priority", "ok", "ok", call(141, 0, 0, 19)},
		{"another's priority", "EPERM", "ok", call(141, 0, os.Getpid(), 0)},
		{"everybody's priority", "EPERM", "ok", call(141, 2, os.Getuid(), 0)},
		{"typing into a terminal", "EPERM", "EBADF", call(16, -1, 0x5412)},
		{"any other ioctl", "EBADF", "EBADF", call(16, -1, 0x5401)},
		{"pages", "ok", "ok", call(9, 0, 4096, 1, 0x22, -1)},
		{"huge pages", "EPERM", "", call(9, 0, 2<<20, 1, 0x40022, -1)},
		{"a segment", "EINVAL", "EINVAL", call(29, 0, 0, 0o600)},
		{"a segment of huge pages", "EPERM", "EINVAL", call(29, 0, 0, 0o4600)},
		{"clone3", "ENOSYS", "EINVAL", call(435, 0, 0)},
		{"a number that no kernel has", "ENOSYS", "ENOSYS", call(100000)},
		{"minus one", "ENOSYS", "ENOSYS", call(-1)},
		{"an i386 call", "bad system call", "", []string{"int80"}},
		{"an x32 call", "bad system call", "", call(0x40000000 + 39)},
		{"another's memory", "EPERM", "ok", []string{"memory", "0"}},
	}
	for _, c := range cases {
		t.Run(c.what, func(t *testing.T) {
			if got := filtered(prober, c.args...); got != c.inside {
				t.Errorf("behind the filter: %q, want %q", got, c.inside)
			}
			if got := open(prober, c.args...); c.outside != "" && got != c.outside {
				t.Errorf("without it: %q, want %q: the probe proves nothing", got, c.outside)
			}
		})
	}
}

// The numbers are boxd's where it is the first process: here those up to this process's.
func TestSignalsThatDoNotReachTheFirstNumbers(t *testing.T) {
	const none = 1 << 30 // no process has this number
	self := os.Getpid()
	cases := []struct {
		what            string
		inside, outside string
		args            []string
	}{
		{"kill", "EPERM", "EINVAL", call(62, self, 65)},
		{"kill, signal 0", "ok", "ok", call(62, self, 0)},
		{"kill of its own group", "ok", "ok", call(62, 0, 0)},
		{"kill of all", "EINVAL", "EINVAL", call(62, -1, 65)},
		{"kill of what is beyond", "ESRCH", "ESRCH", call(62, none, 15)},
		{"tkill", "EPERM", "EINVAL", call(200, self, 65)},
		{"tkill of what is beyond", "ESRCH", "ESRCH", call(200, none, 15)},
		{"tgkill", "EPERM", "EINVAL", call(234, self, self, 65)},
		{"tgkill of what is beyond", "ESRCH", "ESRCH", call(234, none, none, 15)},
		{"rt_sigqueueinfo", "EPERM", "EFAULT", call(129, self, 15, 0)},
		{"rt_tgsigqueueinfo", "EPERM", "EFAULT", call(297, self, self, 15, 0)},
		{"pidfd_open", "EPERM", "ok", call(434, self, 0)},
		{"pidfd_open of what is beyond", "ESRCH", "ESRCH", call(434, none, 0)},
		{"pidfd_send_signal", "ENOSYS", "EBADF", call(424, -1, 0, 0, 0)},
		{"fcntl, F_SETSIG", "EPERM", "EBADF", call(72, -1, 10, 15)},
		{"any other fcntl", "EBADF", "EBADF", call(72, -1, 1)},
	}
	for _, c := range cases {
		t.Run(c.what, func(t *testing.T) {
			command := filteredCommand(prober, c.args...)
			command.Env = append(command.Env, fmt.Sprintf("%s=%d", shielded, self))
			if got := outcome(command); got != c.inside {
				t.Errorf("behind the filter: %q, want %q", got, c.inside)
			}
			if got := open(prober, c.args...); got != c.outside {
				t.Errorf("without it: %q, want %q: the probe proves nothing", got, c.outside)
			}
		})
	}
}

func call(numbers ...int) []string {
	args := []string{"call"}
	for _, number := range numbers {
		args = append(args, fmt.Sprint(number))
	}
	return args
}

// TestEveryNumber compares all calls from 0 to 600 with a list that people
// read and signed off: a change of the filter has to change the list.
func TestEveryNumber(t *testing.T) {
	want, err := os.ReadFile("testdata/golden_amd64.txt")
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(filtered(prober, "syscalls"), "\n")
	expected := strings.Split(strings.TrimSpace(string(want)), "\n")
	if len(got) != len(expected) {
		t.Fatalf("%d answers, want %d", len(got), len(expected))
	}
	for i, line := range expected {
		number, rest, _ := strings.Cut(line, " ")
		outcome, call, _ := strings.Cut(rest, " ")
		if got[i] == number+" "+outcome {
			continue
		}
		// An older kernel, or another CPU, may not have the call at all.
		if native := number + " " + open(prober, "try", number); outcome != "open" || got[i] != native {
			t.Errorf("%s: got %q, want %q", call, got[i], outcome)
		}
	}
}

func TestControlCallsAreOpenWithoutTheFilter(t *testing.T) {
	for _, number := range []string{"165", "272", "321", "425"} { // mount, unshare, bpf, io_uring_setup
		if got := open(prober, "try", number); got != "open" {
			t.Errorf("call %s without the filter: %q, want open", number, got)
		}
	}
}
