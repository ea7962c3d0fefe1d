package files

import (
	"archive/tar"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"dev.sandboxer/boxd/internal/problem"
	"dev.sandboxer/boxd/internal/web"
)

// extract unpacks a tar beneath the folder. The first entry that would leave it, or is no file, folder or link, ends the
// request with an error that names it; what came before it stays.
func (f *files) extract(c *web.Call, body io.Reader, path, mode string, parents bool) error {
	if mode != "" || preconditionOf(c.R.Header) != (precondition{}) {
		return problem.New(problem.Validation, "mode, If-Match and If-None-Match do not go with extract=tar: each entry brings its mode")
	}
	if parents {
		if err := os.MkdirAll(path, folderMode); err != nil {
			return explain(path, err)
		}
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return explain(path, err)
	}
	defer root.Close()
	x := &extraction{root: root}
	if err := x.run(body); err != nil {
		return err
	}
	return c.JSON(http.StatusOK, struct {
		Path      string `json:"path"`
		Entries   int    `json:"entries"`
		SizeBytes int64  `json:"size_bytes"`
	}{path, x.entries, x.bytes})
}

// extraction writes through os.Root, by which no link inside or beside the tar leads out.
type extraction struct {
	root    *os.Root
	entries int
	bytes   int64
}

func (x *extraction) run(body io.Reader) error {
	in := tar.NewReader(body)
	for {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			_, err = io.Copy(io.Discard, body) // the padding after the end
			return err
		}
		if err != nil {
			return unreadable(err)
		}
		if err := x.entry(header, in); err != nil {
			return x.refused(header.Name, err)
		}
		x.entries++
	}
}

func unreadable(err error) error {
	var known *problem.Error
	if errors.As(err, &known) {
		return err
	}
	return problem.New(problem.Validation, "the body is no readable tar: %v", err)
}

// refused names the entry. What is no error number comes from os.Root (a path that escapes) or from the tar.
func (x *extraction) refused(name string, err error) error {
	explained := explain(name, err)
	var known *problem.Error
	if !errors.As(explained, &known) {
		known = problem.New(problem.Validation, "entry %.500q is refused: %v", name, cause(err))
	}
	return problem.New(known.Code, "%s (after %d entries that were written)", known.Message, x.entries)
}

func cause(err error) error {
	var path *os.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

func (x *extraction) entry(header *tar.Header, content io.Reader) error {
	if header.Typeflag == tar.TypeXGlobalHeader {
		return nil
	}
	name, err := InsideName(header.Name)
	if err != nil || name == "." {
		return err
	}
	if Sparse(header) {
		return problem.New(problem.Validation, "entry %.500q is sparse: a few bytes that can fill any disk; pack it without --sparse", header.Name)
	}
	if err := x.root.MkdirAll(filepath.Dir(name), folderMode); err != nil {
		return err
	}
	switch header.Typeflag {
	case tar.TypeDir:
		return x.folder(name, header)
	case tar.TypeReg:
		return x.file(name, header, content)
	case tar.TypeSymlink:
		return x.symlink(name, header.Linkname)
	case tar.TypeLink:
		return x.hardLink(name, header.Linkname)
	}
	return problem.New(problem.Validation, "entry %.500q is of type %q; only files, folders and links are unpacked", header.Name, header.Typeflag)
}

// Sparse says whether an entry stands for more bytes than it has.
func Sparse(header *tar.Header) bool {
	if header.Typeflag == tar.TypeGNUSparse {
		return true
	}
	for name := range header.PAXRecords {
		if strings.HasPrefix(name, "GNU.sparse.") {
			return true
		}
	}
	return false
}

// InsideName is the entry's name without . and trailing slashes; one that is absolute or holds .. is refused, even if it would come back.
func InsideName(name string) (string, error) {
	switch {
	case name == "" || strings.ContainsRune(name, 0):
		return "", problem.New(problem.Validation, "an entry's name is empty or holds a NUL")
	case strings.HasPrefix(name, "/"):
		return "", problem.New(problem.Validation, "entry %.500q is absolute, which leaves the target", name)
	}
	for _, part := range strings.Split(name, "/") {
		if part == ".." {
			return "", problem.New(problem.Validation, "entry %.500q holds .., which may leave the target", name)
		}
	}
	return filepath.Clean(name), nil
}

func (x *extraction) folder(name string, header *tar.Header) error {
	err := x.root.Mkdir(name, folderMode)
	if errors.Is(err, os.ErrExist) {
		if info, statErr := x.root.Stat(name); statErr == nil && info.IsDir() {
			return nil
		}
	}
	if err != nil {
		return err
	}
	return x.root.Chmod(name, os.FileMode(header.Mode)&0o777|0o700) // open to us: its content follows
}

func (x *extraction) file(name string, header *tar.Header, content io.Reader) (err error) {
	beside := filepath.Join(filepath.Dir(name), web.NewID(unfinished))
	file, err := x.root.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		_ = file.Close()
		if err != nil {
			_ = x.root.Remove(beside)
		}
	}()
	if err := fill(file, content); err != nil {
		return unreadableOr(err)
	}
	if err := file.Chmod(os.FileMode(header.Mode) & 0o777); err != nil {
		return err
	}
	if !header.ModTime.IsZero() {
		_ = x.root.Chtimes(beside, header.ModTime, header.ModTime)
	}
	x.bytes += header.Size
	return x.root.Rename(beside, name)
}

func unreadableOr(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return err
	}
	return unreadable(err)
}
