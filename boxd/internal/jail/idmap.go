package jail

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// detach gives a mount of the image that shows its files as those of one user,
// whoever wrote them before: each sandbox has a user id of its own. It has the
// folders in which other mounts shall stand.
func (i image) detach(uid int, writable bool, points []string) (int, error) {
	attributes := unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV
	if !writable {
		attributes |= unix.MOUNT_ATTR_RDONLY
	}
	fd := -1
	err := i.alone(func() error {
		var err error
		fd, err = i.mount(attributes)
		return err
	})
	if err != nil {
		return -1, err
	}
	if err := i.makePoints(fd, points); err != nil {
		_ = unix.Close(fd)
		return -1, err
	}
	users, err := usersOf(uid)
	if err != nil {
		_ = unix.Close(fd)
		return -1, err
	}
	defer users.Close()
	set := &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_IDMAP, Propagation: unix.MS_PRIVATE, Userns_fd: uint64(users.Fd())}
	if err := unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH, set); err != nil {
		_ = unix.Close(fd)
		return -1, fail(Unsupported, "this kernel cannot show a volume's files as another user's (Linux 5.12 or later can): %v", err)
	}
	return fd, nil
}

// makePoints works while the files still are those of the disk's own user.
func (i image) makePoints(fd int, points []string) error {
	for _, path := range points {
		point, err := pointAt(fd, path, imageOwner)
		if err != nil {
			return err
		}
		_ = unix.Close(point)
	}
	return nil
}

// usersOf is a user namespace in which the owner of images is that user of the
// host. A child holds it until it is open here.
func usersOf(uid int) (*os.File, error) {
	child := exec.Command("/proc/self/exe", "volume", "hold")
	in, err := child.StdinPipe()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	ids := []syscall.SysProcIDMap{{ContainerID: imageOwner, HostID: uid, Size: 1}}
	child.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER, UidMappings: ids, GidMappings: ids}
	if err := child.Start(); err != nil {
		return nil, fail(Unsupported, "a volume needs user namespaces: %v", err)
	}
	users, err := os.Open(fmt.Sprintf("/proc/%d/ns/user", child.Process.Pid))
	_ = child.Process.Kill()
	_ = child.Wait()
	return users, err
}
