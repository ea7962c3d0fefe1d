package main

import (
	"bufio"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// views are looks around: whether anything of the host or of another sandbox is
// in sight.
func views() []probe {
	const rule = "a view of its own"
	look := func(name, tries string, look func(target) error) probe {
		return probe{name, rule, tries, []string{"none"}, look}
	}
	return []probe{
		look("processes", "processes of the host", otherProcesses),
		look("interfaces", "network devices but the loopback", interfaces),
		look("abstract", "abstract Unix sockets of others", abstractSockets),
		look("shared-memory", "System V shared memory of others", sharedMemory),
		look("cgroup-path", "its place in the host's control groups", func(target) error { return groupPath() }),
		look("routes", "routes", routes),
		look("inherited", "descriptors that it was not given", inherited),
	}
}

func otherProcesses(target) error {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name := entry.Name()
		if _, err := strconv.Atoi(name); err != nil {
			continue
		}
		if target, err := os.ReadFile("/proc/" + name + "/comm"); err == nil && foreign(string(target)) {
			return nil
		}
	}
	return seen("none")
}

// foreign says whether a process is neither boxd, nor one of ours, nor what started it.
func foreign(comm string) bool {
	switch strings.TrimSpace(comm) {
	case "boxd", "probes", "exe", "sh":
		return false
	}
	return true
}

func interfaces(target) error {
	return lines("/proc/net/dev", 2, func(line string) bool {
		return !strings.HasPrefix(strings.TrimSpace(line), "lo:")
	})
}

func abstractSockets(t target) error {
	if t.outside {
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		if err := unix.Bind(fd, &unix.SockaddrUnix{Name: "@sandboxer-probe"}); err != nil {
			return err
		}
	}
	return lines("/proc/net/unix", 1, func(line string) bool { return strings.Contains(line, " @") })
}

func sharedMemory(t target) error {
	if t.outside {
		id, err := unix.SysvShmGet(unix.IPC_PRIVATE, 4096, unix.IPC_CREAT|0o600)
		if err != nil {
			return err
		}
		defer func() { _, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil) }()
	}
	return lines("/proc/sysvipc/shm", 1, func(string) bool { return true })
}

func routes(target) error {
	return lines("/proc/net/route", 1, func(string) bool { return true })
}

func groupPath() error {
	return lines("/proc/self/cgroup", 0, func(line string) bool { return !strings.HasSuffix(line, ":/") })
}

// inherited answers "none" where 0 to 2 are all that came with the process.
func inherited(t target) error {
	if t.outside {
		if _, err := unix.Open("/", unix.O_RDONLY, 0); err != nil {
			return err
		}
	}
	for fd := 3; fd < 1024; fd++ {
		path, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
		if err == nil && !strings.HasPrefix(path, "anon_inode:") {
			return nil
		}
	}
	return seen("none")
}

// lines says whether a file has, after a head, a line of a kind.
func lines(path string, head int, kind func(string) bool) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	text := bufio.NewScanner(file)
	for number := 0; text.Scan(); number++ {
		if number >= head && kind(text.Text()) {
			return nil
		}
	}
	if err := text.Err(); err != nil {
		return err
	}
	return seen("none")
}

// status says whether a set of capabilities in /proc/self/status has any.
func status(names ...string) error {
	for _, name := range names {
		err := lines("/proc/self/status", 0, func(line string) bool {
			field, value, _ := strings.Cut(line, ":")
			return field == name && strings.Trim(value, "\t 0") != ""
		})
		if err == nil {
			return nil
		}
	}
	return seen("none")
}
