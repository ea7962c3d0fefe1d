package jail

import (
	"fmt"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Mount is a folder of the host, the disk of a volume, or a tmpfs, that the jail gets in addition to its own.
type Mount struct {
	Source   string `json:"source"`      // the host's folder
	Image    string `json:"image"`       // a volume's disk
	Bytes    int64  `json:"tmpfs_bytes"` // size of a tmpfs
	Target   string `json:"target"`
	Writable bool   `json:"writable"`
}

// taken is what a jail is made of: nothing is mounted there or below. Some of
// it are links, which would lead a mount out of the jail's root.
var taken = []string{
	"/proc", "/sys", "/dev", insideDir, "/run", "/var/run", "/var/tmp", "/usr", "/bin", "/sbin",
	"/lib", "/lib32", "/lib64", "/libx32", "/etc",
}

func (m Mount) check() error {
	kinds := 0
	for _, given := range []bool{m.Source != "", m.Image != "", m.Bytes > 0} {
		if given {
			kinds++
		}
	}
	if kinds != 1 {
		return fail(Validation, "mount at %q must have either a source, an image or a size", m.Target)
	}
	for _, path := range []string{m.Source, m.Image, m.Target} {
		if path != "" && (!filepath.IsAbs(path) || filepath.Clean(path) != path) {
			return fail(Validation, "mount path %q must be absolute and clean", path)
		}
	}
	for _, own := range append([]string{"/", "/workspace", "/tmp"}, taken...) {
		if m.Target == own {
			return fail(Validation, "mount target %q is the jail's own", m.Target)
		}
	}
	for _, own := range taken {
		if strings.HasPrefix(m.Target, own+"/") {
			return fail(Validation, "mount target %q lies in the jail's own %s", m.Target, own)
		}
	}
	return nil
}

func (m Mount) tmpfs() bool { return m.Bytes > 0 }

// disk detaches a volume as the sandbox's user shall see it.
func (m Mount) disk(uid int) (bind, error) {
	disk, err := imageAt(m.Image)
	if err != nil {
		return bind{}, err
	}
	fd, err := disk.detach(uid, m.Writable)
	return bind{to: rootDir + m.Target, fd: fd, dir: true}, err
}

// volume detaches a folder of the host without following a link anywhere in its
// path; everything below it is read-only if the folder is to be.
func (m Mount) volume() (bind, error) {
	how := &unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	}
	folder, err := unix.Openat2(unix.AT_FDCWD, m.Source, how)
	if err != nil {
		return bind{}, fail(Validation, "mount source %s cannot be opened as a folder without links: %v", m.Source, err)
	}
	defer unix.Close(folder)
	fd, err := unix.OpenTree(folder, "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE|unix.AT_EMPTY_PATH)
	if err != nil {
		return bind{}, fmt.Errorf("open_tree %s: %w", m.Source, err)
	}
	attributes := uint64(readOnly)
	if m.Writable {
		attributes = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV
	}
	set := &unix.MountAttr{Attr_set: attributes, Propagation: unix.MS_PRIVATE}
	if err := unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, set); err != nil {
		_ = unix.Close(fd)
		return bind{}, fmt.Errorf("mount_setattr %s: %w", m.Source, err)
	}
	return bind{to: rootDir + m.Target, fd: fd, dir: true}, nil
}

func (m Mount) detached(uid int) (bind, error) {
	if m.Image != "" {
		return m.disk(uid)
	}
	return m.volume()
}

// volumes detaches what the caller wants of the host. It happens before the
// stage covers anything.
func (e *entry) volumes() ([]bind, error) {
	var binds []bind
	for _, mount := range e.Spec.Mounts {
		if mount.tmpfs() {
			continue
		}
		one, err := mount.detached(e.UID)
		if err != nil {
			return nil, err
		}
		binds = append(binds, one)
	}
	return binds, nil
}

// mountVolumes puts them, and every tmpfs, into the root that is otherwise complete.
func (e *entry) mountVolumes(binds []bind) error {
	for _, one := range binds {
		if err := one.attach(); err != nil {
			return err
		}
	}
	for _, mount := range e.Spec.Mounts {
		if mount.tmpfs() {
			if err := sized(rootDir+mount.Target, mount.Bytes, "755", e.UID, e.GID); err != nil {
				return err
			}
		}
	}
	return nil
}
