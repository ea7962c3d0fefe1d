package files

import (
	"os"
	"path/filepath"
	"strings"

	"dev.sandboxer/boxd/internal/problem"
)

// symlink makes a link that stays inside whatever other links are there. Three rules together make sure of that: its own folder is
// reached without links, so that each .. goes up one level of the real path; .. stands only at its start, so that none follows
// a link; and there are no more of them than levels.
func (x *extraction) symlink(name, target string) error {
	if err := x.realFolder(filepath.Dir(name)); err != nil {
		return err
	}
	if !StaysInside(filepath.Dir(name), target) {
		return problem.New(problem.Validation, "link %.500q leads to %.500q, which may leave the target folder", name, target)
	}
	if err := x.makeRoom(name); err != nil {
		return err
	}
	return x.root.Symlink(target, name)
}

// hardLink links files only: a link to a link would take that one to another level.
func (x *extraction) hardLink(name, target string) error {
	source, err := InsideName(target)
	if err != nil {
		return problem.New(problem.Validation, "hard link %.500q leads to %.500q, which may leave the target folder", name, target)
	}
	info, err := x.root.Lstat(source)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return problem.New(problem.Validation, "hard link %.500q leads to %.500q, which is a %s and not a file", name, target, kindOf(info.Mode()))
	}
	if source == name {
		return nil
	}
	if err := x.makeRoom(name); err != nil {
		return err
	}
	return x.root.Link(source, name)
}

// realFolder is an error if the way to the folder leads through a link.
func (x *extraction) realFolder(folder string) error {
	if folder == "." {
		return nil
	}
	parts := strings.Split(folder, "/")
	for i := range parts {
		part := filepath.Join(parts[:i+1]...)
		info, err := x.root.Lstat(part)
		if err != nil {
			return err
		}
		if info.Mode().Type() == os.ModeSymlink {
			return problem.New(problem.Validation, "a link is to be made behind %.500q, which is itself a link", part)
		}
	}
	return nil
}

// StaysInside says whether a link in a folder, which is reached without links, leads to a place below the root for sure.
func StaysInside(folder, target string) bool {
	if target == "" || strings.HasPrefix(target, "/") || strings.ContainsRune(target, 0) {
		return false
	}
	levels := 0
	if folder != "." {
		levels = strings.Count(folder, "/") + 1
	}
	named := false
	for _, part := range strings.Split(target, "/") {
		switch part {
		case "", ".":
		case "..":
			levels--
			if named || levels < 0 {
				return false
			}
		default:
			named = true
		}
	}
	return true
}

// makeRoom removes a file or link that is to be replaced.
func (x *extraction) makeRoom(name string) error {
	info, err := x.root.Lstat(name)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.IsDir() {
		return problem.New(problem.InvalidState, "%.500q is a folder, and the tar has a link of that name", name)
	}
	return x.root.Remove(name)
}
