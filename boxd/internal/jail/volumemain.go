package jail

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

const volumeUsage = `usage: boxd volume VERB
  make --image PATH --bytes N                  make the disk of a volume; what is there stays
  remove --image PATH                          remove it, unless it is mounted
  look --image PATH                            print its size and what is taken
  mount --image PATH --at DIR --uid N [--write] [--point PATH]...  mount it as one user's, with folders to mount other things at
  unmount --at DIR                             end that, without waiting for who uses it
`

// VolumeMain runs one verb of volumes, with answers as those of Main.
func VolumeMain(args []string) int {
	if len(args) == 0 {
		fmt.Fprint(os.Stderr, volumeUsage)
		return 2
	}
	verbs := map[string]func(volumeFlags, io.Writer) error{
		"make": makeVolume, "remove": removeVolume, "look": lookAtVolume,
		"mount": mountVolume, "unmount": unmountVolume, "hold": holdVolume,
	}
	verb, known := verbs[args[0]]
	if !known {
		fmt.Fprintf(os.Stderr, "boxd volume: unknown verb %q\n%s", args[0], volumeUsage)
		return 2
	}
	given, err := volumeFlagsOf(args)
	if err == nil {
		err = verb(given, os.Stdout)
	}
	if err != nil {
		return report(os.Stdout, err)
	}
	return 0
}

type volumeFlags struct {
	image  string
	at     string
	bytes  int64
	uid    int
	write  bool
	points []string
}

func volumeFlagsOf(args []string) (volumeFlags, error) {
	given := volumeFlags{}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&given.image, "image", "", "")
	flags.StringVar(&given.at, "at", "", "")
	flags.Int64Var(&given.bytes, "bytes", 0, "")
	flags.IntVar(&given.uid, "uid", 0, "")
	flags.BoolVar(&given.write, "write", false, "")
	flags.Func("point", "", func(path string) error {
		if path == "" || filepath.IsAbs(path) || filepath.Clean(path) != path || strings.HasPrefix(path, "..") {
			return fmt.Errorf("%q is no path below the volume", path)
		}
		given.points = append(given.points, path)
		return nil
	})
	if err := flags.Parse(args[1:]); err != nil || flags.NArg() > 0 {
		return given, fail(Usage, "boxd volume %s: %v\n%s", args[0], err, volumeUsage)
	}
	return given, nil
}

func makeVolume(given volumeFlags, _ io.Writer) error {
	disk, err := imageAt(given.image)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(disk.path), 0o700); err != nil {
		return err
	}
	return disk.alone(func() error { return disk.ensure(given.bytes) })
}

func removeVolume(given volumeFlags, _ io.Writer) error {
	disk, err := imageAt(given.image)
	if err != nil {
		return err
	}
	err = disk.alone(disk.gone)
	if errors.Is(err, os.ErrNotExist) {
		return nil // not even the folder is there
	}
	return err
}

func lookAtVolume(given volumeFlags, out io.Writer) error {
	disk, err := imageAt(given.image)
	if err != nil {
		return err
	}
	info, err := os.Stat(disk.path)
	if err != nil {
		return err
	}
	var used int64
	err = disk.alone(func() error {
		used, err = disk.used()
		return err
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "size=%d\nused=%d\n", info.Size(), used)
	return err
}

// mountVolume also says which file system stands there now.
func mountVolume(given volumeFlags, out io.Writer) error {
	disk, err := imageAt(given.image)
	if err != nil {
		return err
	}
	if given.uid < 1 || !filepath.IsAbs(given.at) {
		return fail(Usage, "boxd volume mount needs a user and an absolute folder\n%s", volumeUsage)
	}
	fd, err := disk.detach(given.uid, given.write, given.points)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if err := unix.MoveMount(fd, "", unix.AT_FDCWD, given.at, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return fmt.Errorf("move_mount to %s: %w", given.at, err)
	}
	var there unix.Stat_t
	if err := unix.Stat(given.at, &there); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "device=%d\n", there.Dev)
	return err
}

// unmountVolume ends what mountVolume made, once or several times.
func unmountVolume(given volumeFlags, _ io.Writer) error {
	for {
		err := unix.Unmount(given.at, unix.MNT_DETACH|unix.UMOUNT_NOFOLLOW)
		if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOENT) {
			return nil // nothing is mounted there
		}
		if err != nil {
			return fmt.Errorf("unmount %s: %w", given.at, err)
		}
	}
}

// holdVolume stays until nobody can write to it any more; see usersOf.
func holdVolume(volumeFlags, io.Writer) error {
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}
