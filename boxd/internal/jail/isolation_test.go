package jail_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// says what a probe found inside, and checks that the same probe succeeds
// where nothing is closed: a probe that cannot succeed proves nothing.
func held(t *testing.T, b *box, what, command, want, control, controlWant string) {
	t.Helper()
	t.Run(what, func(t *testing.T) {
		inside := b.sh(command)
		if got := strings.TrimSpace(inside.Out + inside.Err); !strings.Contains(got, want) {
			t.Errorf("inside: %q, want %q", got, want)
		}
		outside, _ := exec.Command("/bin/sh", "-c", control).CombinedOutput()
		if !strings.Contains(string(outside), controlWant) {
			t.Errorf("control: %q, want %q", outside, controlWant)
		}
	})
}

func TestFilesAreReadOnlyOrSized(t *testing.T) {
	b := start(t)
	for _, path := range []string{"/x", "/usr/x", "/usr/local/x", "/etc/x", "/dev/x", "/.sandboxer/x", "/run/x", "/var/x"} {
		held(t, b, "write "+path, "echo x >> "+path, "Read-only file system", "echo x > /tmp/sbx-control && rm /tmp/sbx-control && echo wrote", "wrote")
	}
	for _, path := range []string{"/etc/passwd", "/.sandboxer/boxd", "/.sandboxer/boxd.json"} {
		held(t, b, "change "+path, "echo x >> "+path, "cannot create", "f=$(mktemp) && echo x >> $f && rm $f && echo wrote", "wrote")
	}
	held(t, b, "a full workspace", "head -c 40000000 /dev/zero > /workspace/big; rm -f /workspace/big", "No space left",
		"head -c 40000000 /dev/zero > /tmp/sbx-control && rm /tmp/sbx-control && echo wrote", "wrote")
	held(t, b, "too many files", "cd /tmp && seq 4000 | xargs touch; rm -rf /tmp/*", "No space left",
		"d=$(mktemp -d) && cd $d && seq 4000 | xargs touch && rm -r $d && echo made", "made")
	held(t, b, "a device", "mknod /workspace/null c 1 3", "not permitted", "echo | tee /dev/null && echo device", "device")
	held(t, b, "sources of the host are empty", "ls -A /usr/src /usr/local/etc | grep -v : | grep -c .; echo end", "0\nend", "ls -d /usr/src && echo there", "there")
	b.says("stat -c %a /tmp /workspace", "1777\n755")
	b.says("awk '$4 !~ /nosuid/ && $2 !~ \"^/(proc|dev/pts)\"' /proc/self/mounts | wc -l", "0")
}

func TestTheHostIsNotVisible(t *testing.T) {
	b := start(t)
	for _, path := range []string{"/root", "/home/*", "/srv", "/sys/kernel", "/sys/devices", "/boot", "/etc/shadow", "/etc/ssh", "/var/log", "/proc/sys/fs/binfmt_misc/register"} {
		held(t, b, path, "ls -d "+path, "No such file", "ls -d / && echo there", "there")
	}
	for _, path := range []string{"/proc/kallsyms", "/proc/keys", "/proc/key-users"} {
		held(t, b, path, "wc -c < "+path, "0", "wc -c < /proc/version", "")
	}
	for _, path := range []string{"/proc/kcore", "/proc/sysrq-trigger", "/proc/timer_list"} {
		held(t, b, path, "cat "+path+" > /dev/null 2>&1; echo x > "+path, "", "echo", "")
		b.says(fmt.Sprintf("(test ! -s %[1]s || ! head -c1 %[1]s >/dev/null 2>&1) && echo held", path), "held")
	}
	held(t, b, "core_pattern", "echo x > /proc/sys/kernel/core_pattern", "cannot create", "test -r /proc/sys/kernel/core_pattern && echo readable", "readable")
	b.says("ls /proc | grep -c '^[0-9]*$' | awk '{print ($1 < 10)}'", "1")
	b.says("cat /proc/1/cmdline | tr '\\0' ' '", "/.sandboxer/boxd serve --config /.sandboxer/boxd.json --listen fd:3")
	b.says("cat /proc/self/cgroup | cut -d: -f3 | sort -u", "/")
	b.says("awk '/^Cap/ && $2 != \"0000000000000000\"' /proc/self/status | wc -l; grep -E 'NoNewPrivs|Seccomp:' /proc/self/status | tr '\\n\\t' '  '", "0\nNoNewPrivs: 1 Seccomp: 2")
}

func TestFirstProcessIsOutOfReach(t *testing.T) {
	b := start(t)
	for question, want := range map[string]string{
		"prlimit 1":           "EPERM",
		"call 203 1 8 0":      "EPERM", // sched_setaffinity
		"call 141 0 1 19":     "EPERM", // setpriority
		"memory 1":            "EPERM", // process_vm_readv
		"call 101 16 1 0 0":   "EPERM", // ptrace attach
		"call 438 3 3 0":      "EPERM", // pidfd_getfd
		"call 440 3 0 0":      "EPERM", // process_madvise
		"call 272 0x10000000": "EPERM", // a user namespace
		"call 165 0 0 0 0":    "EPERM", // mount
		"call 248 0 0 0 0":    "EPERM", // add_key
		"call 0x40000027":     "",
		"int80":               "",
	} {
		t.Run(question, func(t *testing.T) {
			got := b.ask(strings.Fields(question)...)
			if want != "" && got != want {
				t.Errorf("inside: %q, want %q", got, want)
			}
			if want == "" && got != "Bad system call" {
				t.Errorf("a foreign calling convention went through: %q", got)
			}
		})
	}
	for _, path := range []string{"mem", "environ", "fd", "maps", "cwd", "root"} {
		held(t, b, "/proc/1/"+path, "cat /proc/1/"+path+" || ls /proc/1/"+path+"/", "Permission denied", "ls /proc/self/fd/ && echo seen", "seen")
	}
	if got := control("prlimit", strconv.Itoa(os.Getpid())); got != "ok" {
		t.Errorf("control: %q", got)
	}
}

func TestNoNetworkButItsOwn(t *testing.T) {
	b := start(t)
	if got := b.ask("connect"); got != "ENETUNREACH" {
		t.Errorf("connect to the world: %q", got)
	}
	b.says("tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '", "lo")
	b.says("cat /proc/net/unix | grep -c @ || true", "0") // abstract sockets of the host
	b.says("cat /proc/net/route | wc -l", "1")
	b.says("python3 -c 'import socket as s; l=s.create_server((\"127.0.0.1\",0)); c=s.create_connection(l.getsockname()); print(\"ok\")'", "ok")
	lines, err := os.ReadFile("/proc/net/dev")
	if err != nil || strings.Count(string(lines), "\n") < 3 {
		t.Errorf("control: %v %s", err, lines)
	}
}

// What is handed to the first process belongs to the jail's own network
// namespace, so it lists nothing of the host.
func TestDescriptorsOfTheJail(t *testing.T) {
	b := start(t)
	b.says("ls /proc/self/fd | tr '\\n' ' '", "0 1 2 3")
	if os.Geteuid() != 0 {
		t.Log("an ordinary user cannot look into boxd, as it should be: only root checks its descriptors")
		return
	}
	pid := strconv.Itoa(pidOf(b.state["init"]))
	inside, err := os.Readlink("/proc/" + pid + "/ns/net")
	if err != nil {
		t.Fatal(err)
	}
	outside, _ := os.Readlink("/proc/self/ns/net")
	if inside == outside {
		t.Errorf("network namespace %s is the host's", inside)
	}
	entries, err := os.ReadDir("/proc/" + pid + "/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		target, err := os.Readlink("/proc/" + pid + "/fd/" + entry.Name())
		if os.IsNotExist(err) {
			continue // the connection of the call before, closed meanwhile
		}
		known := target == "/dev/null" || strings.HasPrefix(target, "socket:") || strings.HasPrefix(target, "anon_inode:") ||
			strings.HasPrefix(target, "/sys/fs/cgroup/") || strings.HasPrefix(target, "/memfd:jail-log") || strings.HasPrefix(target, "pipe:")
		if !known {
			t.Errorf("descriptor %s is %s", entry.Name(), target)
		}
	}
	b.says("readlink /proc/self/fd/0 /proc/self/fd/1 | cut -d: -f1 | sort -u | tr '\\n' ' ' | sed 's#/dev/null ##'", "pipe")
}

func TestProgramsThatPeopleRun(t *testing.T) {
	b := start(t)
	for command, want := range map[string]string{
		"git init -q r && cd r && echo x > f && git add f && git -c user.name=n -c user.email=e commit -qm m && git log --format=%s": "m",
		"python3 -c 'import ssl, multiprocessing as m; print(m.Pool(2).map(abs, [-1, 2]))'":                                          "[1, 2]",
		"node -e 'console.log(40 + 2)'":                                        "42",
		"printf 'int main(){return 7;}' > c.c && gcc c.c -o c && ./c; echo $?": "7",
		"curl -s -m 60 http://1.1.1.1; echo $?":                                "7",
		"id -un; ls -ld /workspace | cut -d' ' -f3":                            "sandbox\nsandbox",
		"java -version 2>&1 | grep -c Runtime":                                 "1",
		"script -qc 'test -t 0 && echo terminal' /dev/null | tr -d '\\r'":      "terminal",
		"mkfifo f && (echo through > f &) && cat f":                            "through",
		"sleep 0.01 & wait && date +%Z":                                        "UTC",
	} {
		b.says(command, want)
	}
}

// A terminal needs a devpts of the jail's own, and boxd's filter has to let its calls through.
func TestTerminalsInsideAreTheJailsOwn(t *testing.T) {
	b := start(t)
	begin := []byte(`{"process_id":"t","command":"tty; stty size; ls /dev/pts","tty":{"cols":71,"rows":19}}`)
	if code, text := b.call(http.MethodPost, "/v1/processes", "process", begin); code != http.StatusCreated {
		t.Fatalf("%d %s", code, text)
	}
	_, out := b.call(http.MethodGet, "/v1/processes/t/output?follow=true", "process", nil)
	if got := strings.Fields(string(out)); strings.Join(got, " ") != "/dev/pts/0 19 71 0 ptmx" {
		t.Fatalf("%q", out)
	}
}
