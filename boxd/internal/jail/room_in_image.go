package jail

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// maxSiblings is how many files a folder of an image may have into which something new is mounted.
const maxSiblings = 500

// makeRoom has a mount point in an image that lacks it: the folder above is covered by one in memory with the same
// files and the missing folder. The image itself is shared and stays as it is.
func makeRoom(root int, path string) error {
	at, err := unix.Dup(root)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(at) }()
	names := strings.Split(path, "/")
	for depth, name := range names {
		how := &unix.OpenHow{
			Flags:   unix.O_PATH | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC,
			Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
		}
		next, err := unix.Openat2(at, name, how)
		if errors.Is(err, unix.ENOENT) && depth > 0 && unix.Faccessat(at, ".", unix.W_OK, 0) != nil {
			return cover(at, names[depth:])
		}
		if err != nil {
			return nil // pointAt makes it, or says why it cannot
		}
		_ = unix.Close(at)
		at = next
	}
	return nil
}

func cover(folder int, missing []string) error {
	siblings, err := detachSiblings(folder)
	if err != nil {
		return err
	}
	covered, err := smallTmpfs()
	if err != nil {
		return err
	}
	defer unix.Close(covered)
	if err := unix.MoveMount(covered, "", folder, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH); err != nil {
		return fmt.Errorf("a tmpfs over a folder of the image: %w", err)
	}
	for _, one := range siblings {
		if err := one.attach(covered); err != nil {
			return fmt.Errorf("%q of the image: %w", one.name, err)
		}
	}
	for depth := range missing {
		if err := unix.Mkdirat(covered, strings.Join(missing[:depth+1], "/"), 0o755); err != nil {
			return err
		}
	}
	return unix.MountSetattr(covered, "", unix.AT_EMPTY_PATH, &unix.MountAttr{Attr_set: readOnly})
}

// smallTmpfs makes one that is not mounted anywhere yet.
func smallTmpfs() (int, error) {
	context, err := unix.Fsopen("tmpfs", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return -1, err
	}
	defer unix.Close(context)
	for key, value := range map[string]string{"size": "64k", "nr_inodes": fmt.Sprint(maxSiblings + 10), "mode": "755"} {
		if err := unix.FsconfigSetString(context, key, value); err != nil {
			return -1, err
		}
	}
	if err := unix.FsconfigCreate(context); err != nil {
		return -1, err
	}
	return unix.Fsmount(context, unix.FSMOUNT_CLOEXEC, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV)
}

// sibling is what a folder has: a link, or something detached to be mounted again.
type sibling struct {
	name, link string
	fd         int
	dir        bool
}

func detachSiblings(folder int) ([]sibling, error) {
	fd, err := unix.Openat(folder, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	opened := os.NewFile(uintptr(fd), ".")
	defer opened.Close()
	entries, err := opened.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	if len(entries) > maxSiblings {
		return nil, fail(Validation, "nothing can be mounted there: the image lacks the folder, and %d others stand next to it", len(entries))
	}
	var siblings []sibling
	for _, entry := range entries {
		one := sibling{name: entry.Name(), dir: entry.IsDir(), fd: -1}
		if entry.Type()&os.ModeSymlink != 0 {
			one.link, err = linkAt(fd, one.name)
		} else {
			one.fd, err = unix.OpenTree(fd, one.name, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE|unix.AT_SYMLINK_NOFOLLOW)
		}
		if err != nil {
			return nil, err
		}
		siblings = append(siblings, one)
	}
	return siblings, nil
}

func linkAt(folder int, name string) (string, error) {
	target := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(folder, name, target)
	return string(target[:max(n, 0)]), err
}

func (s sibling) attach(folder int) error {
	if s.fd < 0 {
		return unix.Symlinkat(s.link, folder, s.name)
	}
	defer unix.Close(s.fd)
	if err := s.point(folder); err != nil {
		return err
	}
	return unix.MoveMount(s.fd, "", folder, s.name, unix.MOVE_MOUNT_F_EMPTY_PATH)
}

func (s sibling) point(folder int) error {
	if s.dir {
		return unix.Mkdirat(folder, s.name, 0o755)
	}
	return unix.Mknodat(folder, s.name, unix.S_IFREG|0o644, 0)
}
