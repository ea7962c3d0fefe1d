package jail

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

const lockName = "lock"

// lock keeps two launchers, or a launcher and a kill, from one folder.
type lock struct{ file *os.File }

// lockFolder waits for the folder's lock. The lock's file goes away with the
// folder, so one that was waited for may be nobody's any more: look again.
func lockFolder(dir string, create bool) (*lock, error) {
	path := filepath.Join(dir, lockName)
	for {
		if create {
			if err := os.MkdirAll(dir, 0o700); err != nil {
				return nil, fail(Unavailable, "the jail's folder cannot be made: %v", err)
			}
		}
		file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if os.IsNotExist(err) && create {
			continue
		}
		if err != nil {
			return nil, err
		}
		if err := flock(file); err != nil {
			return nil, err
		}
		if same(file, path) {
			return &lock{file}, nil
		}
		_ = file.Close()
	}
}

func flock(file *os.File) error {
	for {
		err := unix.Flock(int(file.Fd()), unix.LOCK_EX)
		if err == nil {
			return nil
		}
		if err != unix.EINTR {
			return fmt.Errorf("lock %s: %w", file.Name(), err)
		}
	}
}

func same(file *os.File, path string) bool {
	held, err := file.Stat()
	if err != nil {
		return false
	}
	now, err := os.Stat(path)
	return err == nil && os.SameFile(held, now)
}

func (l *lock) release() { _ = l.file.Close() }
