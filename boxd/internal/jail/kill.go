package jail

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// killVerb ends a jail and removes its folder. What is gone already is no error.
func killVerb(args []string, _ io.Reader, out io.Writer) error {
	flags := flag.NewFlagSet("kill", flag.ContinueOnError)
	dir := flags.String("dir", "", "the jail's folder")
	if err := flags.Parse(args); err != nil || *dir == "" || flags.NArg() > 0 {
		return fail(Usage, "use: boxd jail kill --dir DIR")
	}
	if !filepath.IsAbs(*dir) {
		return fail(Validation, "folder %q must be an absolute path", *dir)
	}
	detachFromCaller()
	removed, err := kill(*dir)
	if err != nil {
		return &Failure{Code: Unavailable, Message: err.Error(), Left: true}
	}
	_, err = fmt.Fprintf(out, "removed=%t\n", removed)
	return err
}

// kill ends what runs first: a foreign file in the folder keeps only the folder.
func kill(dir string) (bool, error) {
	if err := jailFolder(dir); err != nil {
		return false, err
	}
	held, err := lockFolder(dir, false)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer held.release()
	record, err := loadState(dir)
	if err == nil {
		err = record.end()
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return false, err
	}
	return true, removeFolder(dir)
}

// ownFiles is all that a launcher makes in a jail's folder.
var ownFiles = []string{socketName, socketName + ".tmp", stateName, stateName + ".tmp", lockName}

// jailFolder refuses a folder without a state that holds anything of somebody's.
func jailFolder(dir string) error {
	if _, err := os.Lstat(filepath.Join(dir, stateName)); err == nil {
		return nil
	}
	foreign, err := foreignIn(dir)
	if err == nil && foreign != "" {
		return fmt.Errorf("%s is no jail's folder: it holds %s", dir, foreign)
	}
	return err
}

// foreignIn names what no launcher made in a folder, "" if there is nothing.
func foreignIn(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	for _, one := range entries {
		if !slices.Contains(ownFiles, one.Name()) {
			return one.Name(), nil
		}
	}
	return "", nil
}

// removeFolder removes the files by name, the lock last, and the folder only
// once empty. Beside a foreign file all stays: the state says whose folder it is.
func removeFolder(dir string) error {
	foreign, err := foreignIn(dir)
	if err != nil {
		return err
	}
	if foreign != "" {
		return fmt.Errorf("the jail has ended, and its folder %s stays: %s in it is not the launcher's; remove %s", dir, foreign, filepath.Join(dir, foreign))
	}
	for _, name := range ownFiles {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	err = os.Remove(dir)
	if errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, os.ErrNotExist) {
		return nil // a launcher that waited for the lock has begun again
	}
	return err
}

// strays finds a supervisor that the record does not name: a launcher may have
// ended between starting nsjail and writing it down, on a host without cgroups.
func (s *state) strays() []process {
	if s.supervisor.pid != 0 || s.boot != bootID() {
		return nil
	}
	for end := time.Now().Add(time.Second); ; time.Sleep(pause) {
		found, unsettled := s.scan()
		if len(found) > 0 || !unsettled || time.Now().After(end) {
			return found
		}
	}
}

// scan looks for the jail's name among all command lines. In the midst of an
// exec a process has none for a moment: look again then.
func (s *state) scan() (found []process, unsettled bool) {
	entries, _ := os.ReadDir("/proc")
	mark := []byte("\x00--config\x00" + configCfg + "\x00--rw\x00--hostname\x00" + s.identity.Name + "\x00")
	for _, one := range entries {
		pid, err := strconv.Atoi(one.Name())
		if err != nil || !s.mine(one) {
			continue
		}
		line, _ := os.ReadFile("/proc/" + one.Name() + "/cmdline")
		candidate := processOf(pid)
		if len(line) == 0 && candidate.pid != 0 && !kernelThread(pid) {
			unsettled = true
		}
		if bytes.Contains(line, mark) {
			found = append(found, candidate.child(), candidate)
		}
	}
	return found, unsettled
}

func kernelThread(pid int) bool {
	_, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	return errors.Is(err, os.ErrNotExist)
}

// mine keeps to processes that this user may have started.
func (s *state) mine(one os.DirEntry) bool {
	info, err := one.Info()
	if err != nil {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && (os.Getuid() == 0 || int(stat.Uid) == os.Getuid() || stat.Uid >= firstSubordinate)
}

const firstSubordinate = 65536
