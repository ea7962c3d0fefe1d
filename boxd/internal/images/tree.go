package images

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// tree is a root file system that is being written. What is written is hostile: every name is resolved below the root
// by the kernel and without following a link, and nothing else writes here meanwhile.
type tree struct {
	root int
}

const beneath = unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS | unix.RESOLVE_NO_XDEV

func openTree(folder string) (*tree, error) {
	root, err := unix.Open(folder, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: folder, Err: err}
	}
	return &tree{root}, nil
}

func (t *tree) close() { _ = unix.Close(t.root) }

// folder opens a folder of the tree, which is there.
func (t *tree) folder(name string) (int, error) {
	return openBelow(t.root, name)
}

func openBelow(at int, name string) (int, error) {
	if name == "" {
		name = "."
	}
	how := &unix.OpenHow{Flags: unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC, Resolve: beneath}
	fd, err := unix.Openat2(at, name, how)
	if err != nil {
		return -1, &os.PathError{Op: "open", Path: name, Err: err}
	}
	return fd, nil
}

// made opens a folder and makes what of its path is not there. As where layers lie on each other, a folder takes the
// place of a link or a file that an image has there.
func (t *tree) made(name string) (int, error) {
	if fd, err := t.folder(name); err == nil {
		return fd, nil
	}
	at, err := unix.FcntlInt(uintptr(t.root), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	for _, part := range strings.Split(name, "/") {
		next, err := ensureFolder(at, part)
		_ = unix.Close(at)
		if err != nil {
			return -1, &os.PathError{Op: "mkdir", Path: name, Err: err}
		}
		at = next
	}
	return at, nil
}

func ensureFolder(at int, name string) (int, error) {
	fd, err := openBelow(at, name)
	switch {
	case err == nil:
		return fd, nil
	case errors.Is(err, unix.ELOOP), errors.Is(err, unix.ENOTDIR):
		if err := unix.Unlinkat(at, name, 0); err != nil {
			return -1, err
		}
	case !errors.Is(err, unix.ENOENT):
		return -1, err
	}
	if err := unix.Mkdirat(at, name, 0o755); err != nil {
		return -1, err
	}
	return openBelow(at, name)
}

// in runs an action with the opened parent of a name, which is made where it lacks.
func (t *tree) in(name string, action func(parent int, base string) error) error {
	folder, base := path.Split(name)
	parent, err := t.made(strings.TrimSuffix(folder, "/"))
	if err != nil {
		return err
	}
	defer unix.Close(parent)
	if err := action(parent, base); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// mkdir makes a folder, or changes the mode of one that is there. Its owner can always remove it.
func (t *tree) mkdir(name string, mode uint32) error {
	fd, err := t.made(name)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Fchmod(fd, mode|0o700)
}

// file writes a file in place of whatever is there.
func (t *tree) file(name string, mode uint32, modified time.Time, content io.Reader) error {
	return t.in(name, func(parent int, base string) error {
		if err := t.remove(parent, base); err != nil {
			return err
		}
		fd, err := unix.Openat(parent, base, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
		if err != nil {
			return err
		}
		file := os.NewFile(uintptr(fd), base)
		defer file.Close()
		if _, err := io.Copy(file, content); err != nil {
			return err
		}
		if err := unix.Fchmod(fd, mode|0o600); err != nil {
			return err
		}
		return stamp(fd, modified)
	})
}

// stamp sets the time of the last change, which compiled Python files are compared by.
func stamp(fd int, modified time.Time) error {
	if modified.Unix() < 0 {
		return nil
	}
	at := unix.NsecToTimeval(modified.UnixNano())
	return unix.Futimes(fd, []unix.Timeval{at, at})
}

func (t *tree) symlink(name, target string) error {
	return t.in(name, func(parent int, base string) error {
		if err := t.remove(parent, base); err != nil {
			return err
		}
		return unix.Symlinkat(target, parent, base)
	})
}

// link gives a file or a link of the tree a second name.
func (t *tree) link(name, target string) error {
	folder, from := path.Split(target)
	source, err := t.folder(strings.TrimSuffix(folder, "/"))
	if err != nil {
		return fail(Validation, "%q is a hard link to %q, which is not in the image", name, target)
	}
	defer unix.Close(source)
	var found unix.Stat_t
	if err := unix.Fstatat(source, from, &found, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return fail(Validation, "%q is a hard link to %q, which is not in the image", name, target)
	}
	if kind := found.Mode & unix.S_IFMT; kind != unix.S_IFREG && kind != unix.S_IFLNK {
		return fail(Validation, "%q is a hard link to %q, which is not a file", name, target)
	}
	if name == target {
		return nil
	}
	return t.in(name, func(parent int, base string) error {
		if err := t.remove(parent, base); err != nil {
			return err
		}
		return unix.Linkat(source, from, parent, base, 0)
	})
}

// remove removes whatever has that name, with all below it.
func (t *tree) remove(parent int, base string) error {
	return removeAt(parent, base)
}

func removeAt(parent int, base string) error {
	err := unix.Unlinkat(parent, base, 0)
	if err == nil || errors.Is(err, unix.ENOENT) {
		return nil
	}
	if !errors.Is(err, unix.EISDIR) && !errors.Is(err, unix.EPERM) {
		return err
	}
	fd, err := openBelow(parent, base)
	if err != nil {
		return err
	}
	names, err := children(fd)
	for _, name := range names {
		err = errors.Join(err, removeAt(fd, name))
	}
	_ = unix.Close(fd)
	if err != nil {
		return err
	}
	return unix.Unlinkat(parent, base, unix.AT_REMOVEDIR)
}

// children lists the names in an opened folder.
func children(fd int) ([]string, error) {
	copied, err := unix.Openat(fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	folder := os.NewFile(uintptr(copied), ".")
	defer folder.Close()
	return folder.Readdirnames(-1)
}
