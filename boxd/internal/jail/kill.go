package jail

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
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

func kill(dir string) (bool, error) {
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
	return true, os.RemoveAll(dir)
}

// strays finds supervisors that no record names: a launcher on a host without
// cgroups may have ended between starting nsjail and writing it down.
func (s *state) strays() []process {
	if len(s.box.dirs) > 0 {
		return nil
	}
	entries, _ := os.ReadDir("/proc")
	var found []process
	for _, one := range entries {
		pid, err := strconv.Atoi(one.Name())
		if err != nil || !s.mine(one) {
			continue
		}
		line, _ := os.ReadFile("/proc/" + one.Name() + "/cmdline")
		if bytes.Contains(line, []byte("\x00--config\x00"+configCfg+"\x00--rw\x00--hostname\x00"+s.identity.Name+"\x00")) {
			supervisor := processOf(pid)
			found = append(found, supervisor.child(), supervisor)
		}
	}
	return found
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
