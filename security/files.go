package main

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

const workspace = "/workspace"

// kernelFiles are attempts on what the kernel shows as files.
func kernelFiles() []probe {
	const secrets, settings, devices = "what the kernel would show", "what the kernel would be set by", "devices"
	reads := func(name, tries, path string, held ...string) probe {
		return probe{name, secrets, tries, held, func(t target) error { return read(t.existing(path, "/proc/version")) }}
	}
	writes := func(name, tries, path string) probe {
		return probe{name, settings, tries, []string{"EROFS", "EACCES", "ENOENT"}, func(t target) error {
			return open(t.existing(path, "/proc/self/oom_score_adj"), os.O_WRONLY)
		}}
	}
	opens := func(name, path string) probe {
		return probe{name, devices, "open `" + path + "`", []string{"ENOENT"}, func(t target) error {
			if t.outside { // not every machine has it
				path = "/dev/zero"
			}
			return open(path, os.O_RDWR)
		}}
	}
	return []probe{
		reads("kcore", "the machine's memory, `/proc/kcore`", "/proc/kcore", "empty", "EACCES", "ENOENT"),
		reads("kallsyms", "addresses of the kernel, `/proc/kallsyms`", "/proc/kallsyms", "empty", "EACCES", "ENOENT"),
		reads("keys", "keys, `/proc/keys`", "/proc/keys", "empty", "EACCES", "ENOENT"),
		reads("key-users", "users with keys, `/proc/key-users`", "/proc/key-users", "empty", "EACCES", "ENOENT"),
		reads("dmesg", "the kernel's log, `/dev/kmsg`", "/dev/kmsg", "ENOENT"),
		reads("sys", "the hardware, below `/sys`", "/sys/kernel/notes", "empty", "EACCES", "ENOENT"),
		writes("sysrq", "commands to the kernel, `/proc/sysrq-trigger`", "/proc/sysrq-trigger"),
		writes("core-pattern", "the program that takes core dumps", "/proc/sys/kernel/core_pattern"),
		writes("modprobe", "the program that loads modules", "/proc/sys/kernel/modprobe"),
		writes("hostname-file", "the name of the host", "/proc/sys/kernel/hostname"),
		writes("drop-caches", "the machine's caches", "/proc/sys/vm/drop_caches"),
		writes("forwarding", "forwarding of packets", "/proc/sys/net/ipv4/ip_forward"),
		writes("irq", "interrupts", "/proc/irq/default_smp_affinity"),
		writes("uevent", "the program that the kernel runs for new devices", "/sys/kernel/uevent_helper"),
		{"cgroup", settings, "a control group below `/sys/fs/cgroup`", []string{"EROFS", "EACCES", "ENOENT", "EPERM"}, makeGroup},
		{"own-limit", settings, "its own limit of memory", []string{"EROFS", "EACCES", "ENOENT"}, func(t target) error {
			for _, file := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
				if _, err := os.Stat(file); err == nil && !t.outside { // a machine's top group has no limit
					return open(file, os.O_WRONLY)
				}
			}
			return open(t.existing("/sys/fs/cgroup/memory.max", "/proc/self/oom_score_adj"), os.O_WRONLY)
		}},
		opens("dev-mem", "/dev/mem"),
		opens("dev-disk", "/dev/vda"),
		opens("dev-loop", "/dev/loop-control"),
		opens("dev-fuse", "/dev/fuse"),
		opens("dev-kvm", "/dev/kvm"),
		opens("dev-tun", "/dev/net/tun"),
		opens("dev-mapper", "/dev/mapper/control"),
		{"mknod", devices, "make a device", []string{"EPERM"}, func(t target) error { return makeNode(t, unix.S_IFCHR, 1, 3) }},
		{"mknod-block", devices, "make a disk", []string{"EPERM"}, func(t target) error { return makeNode(t, unix.S_IFBLK, 7, 0) }},
	}
}

// files are attempts on files of the host and of the sandbox's own system.
func files() []probe {
	const programs, host = "programs are read-only", "files of the host"
	writes := func(name, path string) probe {
		return probe{name, programs, "make a file in `" + path + "`", []string{"EROFS", "ENOENT", "EACCES"}, func(t target) error {
			if t.outside {
				path = os.TempDir()
			}
			file, err := os.CreateTemp(path, "probe")
			if err != nil {
				return err
			}
			return os.Remove(file.Name())
		}}
	}
	reads := func(name, path string) probe {
		return probe{name, host, "read `" + path + "`", []string{"ENOENT", "EACCES"}, func(t target) error {
			if t.outside {
				path = "/proc/version"
			}
			return read(path)
		}}
	}
	listen := func(name, path string) probe {
		return probe{name, host, "reach `" + path + "`", []string{"ENOENT"}, func(t target) error { return connectUnix(t, path) }}
	}
	return []probe{
		writes("write-root", "/"),
		writes("write-usr", "/usr"),
		writes("write-bin", "/bin"),
		writes("write-etc", "/etc"),
		writes("write-dev", "/dev"),
		writes("write-run", "/run"),
		writes("write-var", "/var"),
		writes("write-boxd", "/.sandboxer"),
		{"change-passwd", programs, "change `/etc/passwd`", []string{"EROFS", "EACCES"}, func(t target) error {
			if t.outside {
				return temporary()
			}
			return open("/etc/passwd", os.O_WRONLY)
		}},
		{"nosuid", programs, "gain rights by a set-user-id file or a device on a writable mount", []string{"none"}, func(target) error { return looseMounts() }},
		reads("shadow", "/etc/shadow"),
		reads("ssh", "/root/.ssh/id_ed25519"),
		reads("logs", "/var/log/dpkg.log"),
		listen("docker", "/var/run/docker.sock"),
		listen("containerd", "/run/containerd/containerd.sock"),
		listen("dbus", "/run/dbus/system_bus_socket"),
		listen("systemd", "/run/systemd/private"),
	}
}

// existing is another path where a control's machine lacks the one that is meant.
func (t target) existing(path, other string) string {
	if _, err := os.Stat(path); t.outside && err != nil {
		return other
	}
	return path
}

func open(path string, flag int) error {
	file, err := os.OpenFile(path, flag, 0)
	if err != nil {
		return err
	}
	return file.Close()
}

// read answers "empty" where a file has nothing to say.
func read(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = file.Read(make([]byte, 1<<16))
	return err
}

func list(path string) error {
	entries, err := os.ReadDir(path)
	if err == nil && len(entries) == 0 {
		return io.EOF
	}
	return err
}

func temporary() error {
	file, err := os.CreateTemp("", "probe")
	if err != nil {
		return err
	}
	return os.Remove(file.Name())
}

// makeGroup looks for a hierarchy that can be written to, of either version.
func makeGroup(target) error {
	result := error(fs.ErrNotExist)
	for _, folder := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/memory", "/sys/fs/cgroup/devices"} {
		made := filepath.Join(folder, "sandboxer-probe")
		err := os.Mkdir(made, 0o755)
		if err == nil {
			return os.Remove(made)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			result = err
		}
	}
	if errors.Is(result, fs.ErrNotExist) {
		return unix.ENOENT
	}
	return result
}

func makeNode(t target, kind uint32, major, minor uint32) error {
	folder := workspace
	if t.outside {
		folder = os.TempDir()
	}
	path := filepath.Join(folder, "probe-node")
	if err := unix.Mknod(path, kind|0o600, int(unix.Mkdev(major, minor))); err != nil {
		return err
	}
	return os.Remove(path)
}

// looseMounts looks for a mount where it may write and on which a set-user-id bit or a device would count.
func looseMounts() error {
	file, err := os.Open("/proc/self/mounts")
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		options := "," + fields[3] + ","
		kernels := fields[2] == "proc" || fields[2] == "devpts" || fields[2] == "mqueue"
		loose := strings.Contains(options, ",rw,") && !strings.Contains(options, ",nosuid,")
		if loose && !kernels && unix.Access(fields[1], unix.W_OK) == nil {
			return nil
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return seen("none")
}
