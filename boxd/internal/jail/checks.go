package jail

import (
	"fmt"
	"os"
	"os/exec"
	osuser "os/user"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// checkNsjail finds nsjail: the argument, SANDBOXER_NSJAIL, the home's tools, the PATH.
func checkNsjail(given string) (string, Check) {
	for _, path := range []string{given, os.Getenv("SANDBOXER_NSJAIL"), inHome("tools/nsjail/nsjail"), onPath("nsjail")} {
		if path == "" {
			continue
		}
		resolved, err := filepath.EvalSymlinks(path)
		if err != nil && path != given && path != os.Getenv("SANDBOXER_NSJAIL") {
			continue
		}
		if err != nil {
			return "", Check{"nsjail", false, fmt.Sprintf("nsjail is not at %s", path), "./sandboxer up"}
		}
		return resolved, checkExecutable(resolved)
	}
	return "", Check{"nsjail", false, "nsjail is neither on the PATH nor among the home's tools", "./sandboxer up"}
}

// checkExecutable wants it executable for all: the sandbox's own user runs it.
func checkExecutable(path string) Check {
	info, err := os.Stat(path)
	if err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o005 == 0o005 {
		return Check{"nsjail", true, path, ""}
	}
	return Check{"nsjail", false, path + " must be readable and executable for every user", "chmod -R a+rX " + filepath.Dir(path)}
}

func inHome(name string) string {
	home := os.Getenv("SANDBOXER_HOME")
	if home == "" {
		home = filepath.Join(os.Getenv("HOME"), ".sandboxer")
	}
	return filepath.Join(home, name)
}

func onPath(name string) string {
	path, err := exec.LookPath(name)
	if err != nil {
		return ""
	}
	return path
}

func checkKernel() Check {
	fd, err := unix.OpenTree(unix.AT_FDCWD, "/", unix.OPEN_TREE_CLOEXEC)
	if err == nil {
		_ = unix.Close(fd)
	}
	err2 := unix.MountSetattr(-1, "", unix.AT_EMPTY_PATH, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
	if err == unix.ENOSYS || err2 == unix.ENOSYS {
		return Check{"kernel", false, "mount_setattr is missing: Linux 5.12 or later is needed", ""}
	}
	if _, err := os.Stat("/proc/sys/kernel/seccomp/actions_avail"); err != nil {
		return Check{"kernel", false, "the kernel has no seccomp filters", ""}
	}
	var name unix.Utsname
	_ = unix.Uname(&name)
	return Check{"kernel", true, "Linux " + unix.ByteSliceToString(name.Release[:]), ""}
}

// checkUserNamespaces names the switch that closes them; whether they really
// work shows when a jail is tried.
func checkUserNamespaces(h host) Check {
	closed := map[string]string{"user/max_user_namespaces": "0"}
	if os.Geteuid() != 0 {
		closed["kernel/unprivileged_userns_clone"] = "0"
		closed["kernel/apparmor_restrict_unprivileged_userns"] = "1"
	}
	for name, value := range closed {
		text, err := os.ReadFile(filepath.Join(h.proc, "sys", name))
		if err != nil || strings.TrimSpace(string(text)) != value {
			continue
		}
		key, open := strings.ReplaceAll(name, "/", "."), map[string]string{"0": "1", "1": "0"}[value]
		if name == "user/max_user_namespaces" {
			open = "15000"
		}
		return Check{"user_namespaces", false, fmt.Sprintf("user namespaces are closed: %s is %s", key, value),
			fmt.Sprintf("sudo sysctl -w %s=%s", key, open)}
	}
	return Check{"user_namespaces", true, "open", ""}
}

func (h host) cgroupKind() string {
	trees, err := h.hierarchies()
	one, two := false, false
	for _, tree := range trees {
		one, two = one || tree.version == 1, two || tree.version == 2
	}
	switch {
	case err != nil || (!one && !two):
		return "none"
	case one && two:
		return "hybrid"
	case one:
		return "v1"
	}
	return "v2"
}

func checkLimit(limit string, ok bool, reason string) Check {
	if ok {
		return Check{"limit_" + limit, true, "enforced", ""}
	}
	remedy := "systemd-run --user --scope -p Delegate=yes ./sandboxer up"
	if limit == "uid" {
		remedy = "sudo apt-get install uidmap && sudo usermod --add-subuids 100000-165535 --add-subgids 100000-165535 " + userName()
	} else if os.Geteuid() == 0 {
		remedy = ""
	}
	return Check{"limit_" + limit, false, "not enforced: " + reason, remedy}
}

func userName() string {
	if account, err := osuser.Current(); err == nil {
		return account.Username
	}
	return "$USER"
}
