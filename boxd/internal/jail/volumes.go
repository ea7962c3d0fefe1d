package jail

import (
	"fmt"
	"path/filepath"
	"slices"
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

// own are the platform's places in /run: files that are in memory only, and what the profile's setup has made.
const (
	secrets = "/run/secrets"
	setup   = "/run/setup"
)

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
	for _, own := range append([]string{"/", "/tmp"}, taken...) {
		if m.Target == own {
			return fail(Validation, "mount target %q is the jail's own", m.Target)
		}
	}
	if m.Target == setup && (m.tmpfs() || !m.Writable) || m.Target == secrets && m.tmpfs() {
		return nil
	}
	if m.Target == workspace && m.tmpfs() {
		return fail(Validation, "mount target %q is a tmpfs of the jail's own", m.Target)
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
func (m Mount) disk(uid int, points []string) (int, error) {
	disk, err := imageAt(m.Image)
	if err != nil {
		return -1, err
	}
	return disk.detach(uid, m.Writable, points)
}

// volume detaches a folder of the host without following a link anywhere in its
// path; everything below it is read-only if the folder is to be.
func (m Mount) volume() (int, error) {
	how := &unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	}
	folder, err := unix.Openat2(unix.AT_FDCWD, m.Source, how)
	if err != nil {
		return -1, fail(Validation, "mount source %s cannot be opened as a folder without links: %v", m.Source, err)
	}
	defer unix.Close(folder)
	fd, err := unix.OpenTree(folder, "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE|unix.AT_EMPTY_PATH)
	if err != nil {
		return -1, fmt.Errorf("open_tree %s: %w", m.Source, err)
	}
	attributes := uint64(readOnly)
	if m.Writable {
		attributes = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV
	}
	set := &unix.MountAttr{Attr_set: attributes, Propagation: unix.MS_PRIVATE}
	if err := unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, set); err != nil {
		_ = unix.Close(fd)
		return -1, fmt.Errorf("mount_setattr %s: %w", m.Source, err)
	}
	return fd, nil
}

func (m Mount) detached(uid int, points []string) (int, error) {
	if m.Image != "" {
		return m.disk(uid, points)
	}
	return m.volume()
}

// placed is a mount that is detached from the host, or a tmpfs that is yet to be made.
type placed struct {
	Mount
	fd int
}

// volumes detaches what the caller wants of the host, in the order in which it
// is to be mounted: what holds a mount point comes before what is mounted
// there. It happens before the stage covers anything.
func (e *entry) volumes() ([]placed, error) {
	mounts := slices.Clone(e.Spec.Mounts)
	slices.SortStableFunc(mounts, func(one, other Mount) int {
		return strings.Count(one.Target, "/") - strings.Count(other.Target, "/")
	})
	var all []placed
	for _, mount := range mounts {
		if mount.tmpfs() {
			all = append(all, placed{mount, -1})
			continue
		}
		fd, err := mount.detached(e.UID, below(mount.Target, mounts))
		if err != nil {
			return nil, err
		}
		all = append(all, placed{mount, fd})
	}
	return all, nil
}

// below is where else something is mounted below a target, seen from there.
func below(target string, mounts []Mount) []string {
	var paths []string
	for _, mount := range mounts {
		if path, is := strings.CutPrefix(mount.Target, target+"/"); is {
			paths = append(paths, path)
		}
	}
	return paths
}

// mountVolumes puts them, and every tmpfs, into the root that is otherwise complete.
func (e *entry) mountVolumes(all []placed) error {
	for _, one := range all {
		if err := e.place(one); err != nil {
			return err
		}
	}
	return nil
}

func (e *entry) place(one placed) error {
	root, err := unix.Open(rootDir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(root)
	if e.Spec.Image != "" {
		if err := makeRoom(root, one.Target[1:]); err != nil {
			return err
		}
	}
	point, err := pointAt(root, one.Target[1:], -1)
	if err != nil {
		return err
	}
	defer unix.Close(point)
	if one.tmpfs() {
		return sizedOn(fmt.Sprintf("/proc/self/fd/%d", point), one.Bytes, "755", e.UID, e.GID)
	}
	defer unix.Close(one.fd)
	if err := unix.MoveMount(one.fd, "", point, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH); err != nil {
		return fmt.Errorf("move_mount to %s: %w", one.Target, err)
	}
	return nil
}
