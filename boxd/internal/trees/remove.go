// Package trees removes folders of which hostile code may have made anything.
package trees

import (
	"crypto/rand"
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

const batch = 1024

// Remove takes a file away, or a folder with all that is in it, as os.RemoveAll does, but holds two descriptors however
// deep it is: os.RemoveAll holds one for each level, and 3,000 levels are made within a second. Folders that are not
// empty move up to the top and are emptied there. Links are not followed.
func Remove(path string) error {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err == nil {
		top := os.NewFile(uintptr(fd), path)
		err = each(top, func(name string) error { return empty(top, name) })
		_ = top.Close()
		if errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE) {
			return err
		}
	}
	// What is no folder, and what could not be removed: says why, and removes the rest.
	return os.RemoveAll(path)
}

// empty removes an entry of the top. The folders in it that are not empty move to the top.
func empty(top *os.File, name string) error {
	err := removeOne(top, name)
	if !errors.Is(err, unix.ENOTEMPTY) {
		return err
	}
	fd, err := unix.Openat(int(top.Fd()), name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	folder := os.NewFile(uintptr(fd), name)
	err = each(folder, func(inner string) error {
		err := removeOne(folder, inner)
		if errors.Is(err, unix.ENOTEMPTY) {
			return unix.Renameat(fd, inner, int(top.Fd()), rand.Text())
		}
		return err
	})
	_ = folder.Close()
	if err != nil {
		return err
	}
	return removeOne(top, name)
}

// each runs take, which removes or moves an entry, until a folder is empty.
func each(folder *os.File, take func(name string) error) error {
	for {
		if _, err := folder.Seek(0, 0); err != nil {
			return err
		}
		names, err := folder.Readdirnames(batch)
		if len(names) == 0 {
			return ignoreEnd(err)
		}
		for _, name := range names {
			if err := take(name); err != nil {
				return err
			}
		}
	}
}

func ignoreEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// removeOne removes a file or an empty folder; one that is gone already is no error.
func removeOne(folder *os.File, name string) error {
	err := unix.Unlinkat(int(folder.Fd()), name, 0)
	if errors.Is(err, unix.EISDIR) || errors.Is(err, unix.EPERM) {
		err = unix.Unlinkat(int(folder.Fd()), name, unix.AT_REMOVEDIR)
	}
	if errors.Is(err, unix.EEXIST) {
		return unix.ENOTEMPTY
	}
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	return err
}
