package images

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"dev.sandboxer/boxd/internal/jail"
	"dev.sandboxer/boxd/internal/trees"
)

// Sweep is what sweep reads from stdin.
type Sweep struct {
	Store         string `json:"store"`
	Run           string `json:"run"`            // the folder of the jails
	MostBytes     int64  `json:"most_bytes"`     // of all images
	UnusedSeconds int64  `json:"unused_seconds"` // after which an image goes
}

// justUsed is how long an image stays at least: a jail is about to be made of it.
const justUsed = time.Minute

type kept struct {
	place string
	bytes int64
	used  time.Time
}

func sweepVerb(in io.Reader, out io.Writer) error {
	var request Sweep
	if err := json.NewDecoder(io.LimitReader(in, maxRequest)).Decode(&request); err != nil {
		return fail(Internal, "the request on stdin is not valid: %v", err)
	}
	store, err := openStore(request.Store)
	if err != nil {
		return err
	}
	failed := store.removeRemains()
	removed, err := store.sweep(request)
	failed = errors.Join(failed, err, store.removeNames())
	_, _ = fmt.Fprintf(out, "removed=%s\n", line(strings.Join(removed, ",")))
	return failed
}

// removeRemains removes what processes that were killed have left.
func (s *store) removeRemains() error {
	places, err := filepath.Glob(filepath.Join(s.folder, partsName, "*"))
	for _, place := range places {
		lock, failed := os.Open(place)
		if failed != nil {
			continue
		}
		if unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
			err = errors.Join(err, trees.Remove(place))
		}
		_ = lock.Close()
	}
	return err
}

// sweep removes what nobody used for long, then what was used least recently until the rest is little enough.
func (s *store) sweep(request Sweep) ([]string, error) {
	all, total, err := s.all()
	if err != nil {
		return nil, err
	}
	var removed []string
	for _, one := range all {
		old := time.Since(one.used) > time.Duration(request.UnusedSeconds)*time.Second
		if !old && (total <= request.MostBytes || time.Since(one.used) < justUsed) {
			continue
		}
		gone, failed := s.removeUnused(one.place, request.Run)
		err = errors.Join(err, failed)
		if gone {
			total -= one.bytes
			removed = append(removed, filepath.Base(one.place))
		}
	}
	return removed, err
}

// all lists the images, those first that were not used for longest.
func (s *store) all() ([]kept, int64, error) {
	places, err := filepath.Glob(filepath.Join(s.folder, "sha256-*"))
	var all []kept
	var total int64
	for _, place := range places {
		facts, failed := readAbout(place)
		info, unknown := os.Stat(filepath.Join(place, usedName))
		if failed != nil || unknown != nil {
			continue // removed meanwhile
		}
		all = append(all, kept{place, facts.bytes, info.ModTime()})
		total += facts.bytes
	}
	slices.SortFunc(all, func(one, other kept) int { return cmp.Compare(one.used.UnixNano(), other.used.UnixNano()) })
	return all, total, err
}

// removeUnused removes an image unless a jail is made of it. A launcher holds the same lock, shared, until the state of
// its jail names the image.
func (s *store) removeUnused(place, run string) (bool, error) {
	lock, err := os.Open(place)
	if err != nil {
		return false, nil
	}
	defer lock.Close()
	if unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		return false, nil
	}
	mark := filepath.Join(place, usedName)
	if info, err := os.Stat(mark); err != nil || time.Since(info.ModTime()) < justUsed {
		return false, err
	}
	used, err := jail.UsesImage(run, place)
	if err != nil || used {
		now := time.Now()
		return false, errors.Join(err, os.Chtimes(mark, now, now))
	}
	gone := filepath.Join(s.folder, partsName, "gone-"+filepath.Base(place))
	if err := os.Rename(place, gone); err != nil {
		return false, err
	}
	return true, trees.Remove(gone)
}

// removeNames forgets names whose image is gone.
func (s *store) removeNames() error {
	files, err := filepath.Glob(filepath.Join(s.folder, namesName, "*"))
	for _, file := range files {
		place, failed := os.ReadFile(file)
		if failed == nil && !s.has(filepath.Join(s.folder, filepath.Base(string(place)))) {
			err = errors.Join(err, os.Remove(file))
		}
	}
	return err
}
