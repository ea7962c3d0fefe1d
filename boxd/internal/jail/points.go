package jail

import (
	"errors"
	"strings"

	"golang.org/x/sys/unix"
)

// pointAt opens a folder below another one to mount something there, and makes
// what of it is not there. It follows no link: what the path leads through may
// have been written by a sandbox. What it makes is given to owner, if that is a user.
func pointAt(folder int, path string, owner int) (int, error) {
	at, err := unix.Dup(folder)
	if err != nil {
		return -1, err
	}
	for _, name := range strings.Split(path, "/") {
		next, err := step(at, name, owner)
		_ = unix.Close(at)
		if err != nil {
			return -1, pointFailure(path, name, err)
		}
		at = next
	}
	return at, nil
}

func step(at int, name string, owner int) (int, error) {
	how := &unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	}
	next, err := unix.Openat2(at, name, how)
	if !errors.Is(err, unix.ENOENT) {
		return next, err
	}
	err = unix.Mkdirat(at, name, 0o755)
	if err == nil && owner >= 0 {
		err = unix.Fchownat(at, name, owner, owner, unix.AT_SYMLINK_NOFOLLOW)
	}
	if err != nil && !errors.Is(err, unix.EEXIST) {
		return -1, err
	}
	return unix.Openat2(at, name, how)
}

func pointFailure(path, name string, err error) error {
	switch {
	case errors.Is(err, unix.ELOOP), errors.Is(err, unix.ENOTDIR):
		return fail(Validation, "nothing can be mounted at %q: %q is a link or a file there", path, name)
	case errors.Is(err, unix.EROFS):
		return fail(Validation, "nothing can be mounted at %q: what is mounted above is read-only and has no folder %q", path, name)
	case errors.Is(err, unix.EACCES), errors.Is(err, unix.EPERM):
		return fail(Validation, "nothing can be mounted at %q: the platform may not make the folder %q there", path, name)
	}
	return err
}
