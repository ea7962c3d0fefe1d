package files

import (
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"dev.sandboxer/boxd/internal/problem"
	"dev.sandboxer/boxd/internal/trees"
	"dev.sandboxer/boxd/internal/web"
)

// mkdir makes a folder. With parents, those above are made too, and one that is there is fine.
func (f *files) mkdir(c *web.Call) error {
	var q struct {
		Path    string `json:"path"`
		Mode    string `json:"mode"`
		Parents bool   `json:"parents"`
	}
	path, err := f.readPath(c, &q, &q.Path)
	if err != nil {
		return err
	}
	mode := os.FileMode(folderMode)
	if q.Mode != "" {
		if mode, err = parseMode(q.Mode); err != nil {
			return err
		}
	}
	if q.Parents {
		err = os.MkdirAll(path, folderMode)
	} else {
		err = os.Mkdir(path, folderMode)
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return problem.New(problem.InvalidState, "%.500q is there already", path)
	case err != nil:
		return explain(path, err)
	}
	if q.Mode != "" {
		if err := os.Chmod(path, mode); err != nil {
			return explain(path, err)
		}
	}
	return f.described(c, http.StatusCreated, path)
}

// readPath reads the body and resolves the path in it.
func (f *files) readPath(c *web.Call, body any, path *string) (string, error) {
	if err := c.ReadJSON(body, f.limits.Get().JSONBytes); err != nil {
		return "", err
	}
	return f.resolve(*path)
}

func (f *files) described(c *web.Call, status int, path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return explain(path, err)
	}
	return c.JSON(status, describe(path, info))
}

// move renames a file or folder. What is at the new place is only replaced if that is asked for.
func (f *files) move(c *web.Call) error {
	var q struct {
		From      string `json:"from"`
		To        string `json:"to"`
		Overwrite bool   `json:"overwrite"`
	}
	from, err := f.readPath(c, &q, &q.From)
	if err != nil {
		return err
	}
	to, err := f.resolve(q.To)
	if err != nil {
		return err
	}
	if err := f.keep(from); err != nil {
		return err
	}
	flags := uint(unix.RENAME_NOREPLACE)
	if q.Overwrite {
		flags = 0
	}
	err = unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, flags)
	switch {
	case errors.Is(err, unix.EEXIST) && !q.Overwrite:
		return problem.New(problem.InvalidState, "%.500q is there already; send overwrite: true to replace it", to)
	case errors.Is(err, unix.EXDEV):
		err = f.carry(from, to, q.Overwrite)
	case errors.Is(err, unix.ENOENT):
		if _, there := os.Lstat(from); there == nil {
			return problem.New(problem.NotFound, "the folder %.500q does not exist", filepath.Dir(to))
		}
	case errors.Is(err, unix.EINVAL) && strings.HasPrefix(to, from+"/"):
		return problem.New(problem.Validation, "%.500q lies inside of %.500q, which is to be moved", to, from)
	}
	if err != nil {
		return explain(from, err)
	}
	return f.described(c, http.StatusOK, to)
}

// carry moves a file to another file system: it is copied as an upload is, and then removed.
func (f *files) carry(from, to string, overwrite bool) error {
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return problem.New(problem.InvalidState, "%.500q and %.500q are on two file systems, between which only files are moved; copy it as a tar", from, to)
	}
	file, info, err := openFile(from)
	if err != nil {
		return err
	}
	defer file.Close()
	mode := info.Mode().Perm()
	u := &upload{path: to, mode: &mode, commit: &f.commit}
	if !overwrite {
		u.condition = precondition{noneMatch: "*"}
	}
	if _, _, err := u.run(file); err != nil {
		return err
	}
	return os.Remove(from)
}

// keep is an error for the folders that everything else here rests on.
func (f *files) keep(path string) error {
	if path == "/" || path == filepath.Clean(f.workspace) {
		return problem.New(problem.Forbidden, "%.500q is the sandbox's own and stays; name what is in it", path)
	}
	return nil
}

// remove takes a file or link away, a folder only if it is empty or recursive is asked for. Links are not followed.
func (f *files) remove(c *web.Call) error {
	var q struct {
		Path      string `json:"path"`
		Recursive bool   `json:"recursive"`
	}
	path, err := f.readPath(c, &q, &q.Path)
	if err != nil {
		return err
	}
	if err := f.keep(path); err != nil {
		return err
	}
	if _, err := os.Lstat(path); err != nil {
		return explain(path, err)
	}
	if q.Recursive {
		err = trees.Remove(path)
	} else {
		err = os.Remove(path)
	}
	if errors.Is(err, unix.ENOTEMPTY) || errors.Is(err, unix.EEXIST) {
		return problem.New(problem.InvalidState, "folder %.500q is not empty; send recursive: true to remove all that is in it", path)
	}
	if err != nil {
		return explain(path, err)
	}
	return c.NoContent()
}

// chmod sets a mode; a link's is its target's.
func (f *files) chmod(c *web.Call) error {
	var q struct {
		Path string `json:"path"`
		Mode string `json:"mode"`
	}
	path, err := f.readPath(c, &q, &q.Path)
	if err != nil {
		return err
	}
	bits, err := parseMode(q.Mode)
	if err != nil {
		return err
	}
	if err := os.Chmod(path, bits); err != nil {
		return explain(path, err)
	}
	return f.described(c, http.StatusOK, path)
}
