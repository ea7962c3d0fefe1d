package jail

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

const (
	// imageOwner is who owns everything in a volume, on its own disk. Each mount
	// shows these files as those of its sandbox.
	imageOwner    = 1000
	minImageBytes = 16 << 20 // a file system with a journal and some room
	lostAndFound  = "lost+found"
)

// image is the disk of a volume: a file with a file system of its own, whose
// size is the volume's limit. Its folder holds nothing else of ours.
type image struct{ path string }

func imageAt(path string) (image, error) {
	if !filepath.IsAbs(path) || filepath.Clean(path) != path {
		return image{}, fail(Validation, "image path %q must be absolute and clean", path)
	}
	if os.Geteuid() != 0 {
		return image{}, fail(Unsupported, "a volume needs a platform that runs as root: nobody else may mount the disk that holds its size")
	}
	return image{path}, nil
}

// alone keeps two processes from attaching, making or removing one image at a time.
func (i image) alone(action func() error) error {
	folder, err := os.Open(filepath.Dir(i.path))
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := flock(folder); err != nil {
		return err
	}
	return action()
}

// ensure makes the image unless it is there with that size. All of its space is
// taken at once: a disk that is full must not break what lies in the volume.
func (i image) ensure(size int64) error {
	if size < minImageBytes {
		return fail(Validation, "a volume of %d bytes is too small: at least %d", size, minImageBytes)
	}
	info, err := os.Stat(i.path)
	if err == nil && info.Size() != size {
		return fail(Validation, "the volume is there with %d bytes, and %d are wanted", info.Size(), size)
	}
	if err == nil || !errors.Is(err, os.ErrNotExist) {
		return err
	}
	part := image{i.path + ".part"}
	if err := part.format(size); err != nil {
		return errors.Join(err, remove(part.path))
	}
	if err := os.Rename(part.path, i.path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(i.path))
}

func (i image) format(size int64) error {
	if err := remove(i.path); err != nil {
		return err
	}
	file, err := os.OpenFile(i.path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := unix.Fallocate(int(file.Fd()), 0, 0, size); err != nil {
		return reserveFailure(size, err)
	}
	if err := makeFileSystem(i.path); err != nil {
		return err
	}
	if err := i.empty(); err != nil {
		return err
	}
	return file.Sync()
}

func reserveFailure(size int64, err error) error {
	switch {
	case errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EDQUOT), errors.Is(err, unix.EFBIG):
		return fail(Capacity, "the disk has no room for a volume of %d bytes: %v", size, err)
	case errors.Is(err, unix.EOPNOTSUPP):
		return fail(Unsupported, "the disk's file system cannot reserve space for a volume: keep it on ext4, XFS or Btrfs")
	}
	return err
}

func makeFileSystem(path string) error {
	tool, err := exec.LookPath("mkfs.ext4")
	if err != nil {
		return fail(Unsupported, "a volume needs mkfs.ext4: install e2fsprogs")
	}
	owner := fmt.Sprintf("root_owner=%d:%d,nodiscard,lazy_itable_init=1,lazy_journal_init=1", imageOwner, imageOwner)
	var said bytes.Buffer
	command := exec.Command(tool, "-q", "-F", "-m", "0", "-E", owner, path)
	command.Stdout, command.Stderr = &said, &said
	if err := command.Run(); err != nil {
		return fail(Internal, "mkfs.ext4 failed: %v: %s", err, strings.TrimSpace(said.String()))
	}
	return nil
}

// empty removes the folder that the tool makes, and by mounting the image shows
// that this host can.
func (i image) empty() error {
	fd, err := i.mount(unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	err = unix.Unlinkat(fd, lostAndFound, unix.AT_REMOVEDIR)
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	return err
}

// used is how many bytes of the volume are taken.
func (i image) used() (int64, error) {
	fd, err := i.mount(unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV)
	if err != nil {
		return 0, err
	}
	defer unix.Close(fd)
	var found unix.Statfs_t
	if err := unix.Fstatfs(fd, &found); err != nil {
		return 0, err
	}
	return int64(found.Blocks-found.Bfree) * found.Bsize, nil
}

// gone removes the image, which nobody may have mounted.
func (i image) gone() error {
	loop, err := i.loop()
	if err != nil {
		return err
	}
	if loop != nil {
		_ = loop.Close()
		return &Failure{Code: Unavailable, Message: "the volume is still mounted by a sandbox", Left: true}
	}
	return errors.Join(remove(i.path+".part"), remove(i.path))
}

func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	defer folder.Close()
	return folder.Sync()
}
