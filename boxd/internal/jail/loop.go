package jail

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

const loopTries = 32 // others take free loop devices as well

// mount gives a detached mount of the image. All mounts of one image share its
// one loop device, and so one file system: what is read-only is the mount
// alone, and two of them can never damage it. The last one to go ends both.
func (i image) mount(attributes int) (int, error) {
	loop, err := i.attach()
	if err != nil {
		return -1, err
	}
	defer loop.Close()
	context, err := unix.Fsopen("ext4", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return -1, fail(Unsupported, "this kernel cannot mount ext4: %v", err)
	}
	defer unix.Close(context)
	if err := configure(context, loop.Name()); err != nil {
		return -1, fail(Unavailable, "the volume %s cannot be mounted: %v", i.path, err)
	}
	fd, err := unix.Fsmount(context, unix.FSMOUNT_CLOEXEC, attributes)
	if err != nil {
		return -1, fail(Unavailable, "the volume %s cannot be mounted: %v", i.path, err)
	}
	return fd, nil
}

func configure(context int, device string) error {
	return errors.Join(
		unix.FsconfigSetString(context, "source", device),
		unix.FsconfigSetString(context, "errors", "remount-ro"),
		unix.FsconfigSetFlag(context, "noinit_itable"),
		unix.FsconfigCreate(context))
}

// attach finds the image's loop device or makes it. While it is open it stays.
func (i image) attach() (*os.File, error) {
	loop, err := i.loop()
	if loop != nil || err != nil {
		return loop, err
	}
	backing, err := os.OpenFile(i.path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer backing.Close()
	for range loopTries {
		loop, err = free()
		if err != nil {
			return nil, err
		}
		config := &unix.LoopConfig{Fd: uint32(backing.Fd()), Info: unix.LoopInfo64{Flags: unix.LO_FLAGS_AUTOCLEAR}}
		copy(config.Info.File_name[:], i.path)
		err = unix.IoctlLoopConfigure(int(loop.Fd()), config)
		if err == nil {
			return loop, nil
		}
		_ = loop.Close()
		if !errors.Is(err, unix.EBUSY) {
			break
		}
	}
	return nil, fail(Unavailable, "no loop device can be had for the volume: %v", err)
}

func free() (*os.File, error) {
	control, err := os.OpenFile("/dev/loop-control", os.O_RDWR, 0)
	if err != nil {
		return nil, fail(Unsupported, "a volume needs loop devices: %v", err)
	}
	defer control.Close()
	number, err := unix.IoctlRetInt(int(control.Fd()), unix.LOOP_CTL_GET_FREE)
	if err != nil {
		return nil, fail(Unavailable, "no loop device is free: %v", err)
	}
	loop, err := os.OpenFile(fmt.Sprintf("/dev/loop%d", number), os.O_RDWR, 0)
	if err != nil {
		return nil, fail(Unsupported, "a volume needs loop devices: %v", err)
	}
	return loop, nil
}

// loop is the device that has the image, open; nil if there is none.
func (i image) loop() (*os.File, error) {
	var wanted unix.Stat_t
	if err := unix.Stat(i.path, &wanted); err != nil {
		if errors.Is(err, unix.ENOENT) {
			return nil, nil
		}
		return nil, err
	}
	entries, err := filepath.Glob("/sys/block/loop*/loop/backing_file")
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		text, err := os.ReadFile(entry)
		if err != nil || filepath.Base(strings.TrimSpace(string(text))) != filepath.Base(i.path) {
			continue
		}
		device := "/dev/" + filepath.Base(filepath.Dir(filepath.Dir(entry)))
		loop, err := os.OpenFile(device, os.O_RDWR, 0)
		if err != nil {
			continue
		}
		info, err := unix.IoctlLoopGetStatus64(int(loop.Fd()))
		if err == nil && info.Device == wanted.Dev && info.Inode == wanted.Ino {
			return loop, nil
		}
		_ = loop.Close()
	}
	return nil, nil
}
