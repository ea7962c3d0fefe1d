package jail

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Where an unpacked image has its tree, and what its commands inherit.
const (
	imageRoot  = "root"
	imageAbout = "about"
)

// ownRoot is what each jail has of its own in its root; an image's is not seen.
var ownRoot = []string{"dev", "proc", "sys", "run", "tmp", workspace[1:], insideDir[1:]}

// ImageEtc is what of /etc is the jail's own, by name, where the rest is an image's.
func ImageEtc() map[string]string {
	own := ownEtc(hostname)
	return map[string]string{"hosts": own["hosts"], "hostname": own["hostname"], "resolv.conf": own["resolv.conf"]}
}

// holdImage keeps an image from being removed until the state of its jail names it.
func holdImage(place string) (*os.File, error) {
	if place == "" {
		return nil, nil
	}
	folder, err := os.Open(place)
	if err == nil {
		err = unix.Flock(int(folder.Fd()), unix.LOCK_SH)
	}
	if err == nil && !same(folder, place) {
		err = errors.New("it was removed meanwhile")
	}
	if err != nil {
		_ = folder.Close()
		return nil, fail(Unavailable, "the image %s cannot be used: %v", filepath.Base(place), err)
	}
	return folder, nil
}

// UsesImage says whether a jail of a folder of jails is made of an image.
func UsesImage(run, place string) (bool, error) {
	files, err := filepath.Glob(filepath.Join(run, "*", stateName))
	if err != nil {
		return false, err
	}
	for _, file := range files {
		state, err := loadFields(file)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return false, err
		}
		if image := state.get("image"); image != "" && filepath.Base(image) == filepath.Base(place) {
			return true, nil
		}
	}
	return false, nil
}

// imagePart is one name in an image's root: bound where it is a folder or a file, else a link to be made.
type imagePart struct {
	name, link string
}

func imageParts(place string) ([]imagePart, error) {
	entries, err := os.ReadDir(filepath.Join(place, imageRoot))
	if err != nil {
		return nil, fail(Unavailable, "the image %s cannot be read: %v", filepath.Base(place), err)
	}
	var parts []imagePart
	for _, entry := range entries {
		if slices.Contains(ownRoot, entry.Name()) {
			continue
		}
		part := imagePart{name: entry.Name()}
		if entry.Type()&os.ModeSymlink != 0 {
			if part.link, err = os.Readlink(filepath.Join(place, imageRoot, part.name)); err != nil {
				return nil, err
			}
		}
		parts = append(parts, part)
	}
	return parts, nil
}

// imageEnv is what nsjail gives to boxd, and boxd to commands.
func imageEnv(place string) ([]string, error) {
	if place == "" {
		return nil, nil
	}
	text, err := os.ReadFile(filepath.Join(place, imageAbout))
	if err != nil {
		return nil, err
	}
	var env []string
	for line := range strings.Lines(string(text)) {
		if pair, is := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "env="); is {
			env = append(env, pair)
		}
	}
	return env, nil
}

// quoted is text as nsjail's settings have it.
func quoted(text string) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, one := range []byte(text) {
		if one < ' ' || one > '~' || one == '"' || one == '\\' {
			fmt.Fprintf(&out, "\\%03o", one)
		} else {
			out.WriteByte(one)
		}
	}
	out.WriteByte('"')
	return out.String()
}
