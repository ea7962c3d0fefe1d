package files

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"dev.sandboxer/boxd/internal/problem"
	"dev.sandboxer/boxd/internal/web"
)

const (
	stallTime   = 60 * time.Second // an upload may take as long as it likes, but not stand still
	copyBytes   = 256 << 10
	defaultMode = 0o644
	folderMode  = 0o755
)

var copyBuffers = sync.Pool{New: func() any { return new([copyBytes]byte) }}

// upload writes the body to a file, or unpacks it into a folder.
func (f *files) upload(c *web.Call) error {
	query, err := c.Query("path", "mode", "parents", "extract")
	if err != nil {
		return err
	}
	path, err := f.resolve(query["path"])
	if err != nil {
		return err
	}
	parents, err := web.ParseBool("parents", query["parents"])
	if err != nil {
		return err
	}
	extract, err := parseTar("extract", query["extract"])
	if err != nil {
		return err
	}
	kind, values, _ := mime.ParseMediaType(c.R.Header.Get("Content-Type"))
	several := strings.HasPrefix(kind, "multipart/")
	if several && (kind != "multipart/form-data" || extract) {
		return problem.New(problem.UnsupportedMedia, "Content-Type is %.100q; send raw bytes, several files as multipart/form-data, or a tar with extract=tar", kind)
	}
	body := newBody(c)
	defer body.finish()
	switch {
	case extract:
		return f.extract(c, body, path, query["mode"], parents)
	case several:
		return f.storeParts(c, body, values["boundary"], path, query["mode"], parents)
	}
	return f.store(c, body, path, query["mode"], parents)
}

func (f *files) store(c *web.Call, body io.Reader, path, mode string, parents bool) error {
	u, err := f.newUpload(path, mode, parents)
	if err != nil {
		return err
	}
	u.condition = preconditionOf(c.R.Header)
	info, created, err := u.run(body)
	if err != nil {
		return explain(path, err)
	}
	c.W.Header().Set("ETag", etag(info))
	if created {
		return c.JSON(http.StatusCreated, describe(path, info))
	}
	return c.JSON(http.StatusOK, describe(path, info))
}

// newUpload checks the mode and makes the folders above, if that is wanted.
func (f *files) newUpload(path, mode string, parents bool) (*upload, error) {
	u := &upload{path: path, commit: &f.commit}
	if mode != "" {
		bits, err := parseMode(mode)
		if err != nil {
			return nil, err
		}
		u.mode = &bits
	}
	if parents {
		if err := os.MkdirAll(filepath.Dir(path), folderMode); err != nil {
			return nil, explain(filepath.Dir(path), err)
		}
	}
	return u, nil
}

// upload puts a file in place in one step: who reads sees the old or the new one, and a failure leaves the old one.
type upload struct {
	path      string
	mode      *os.FileMode // nil: as the old file's, or 0644
	condition precondition
	commit    *sync.Mutex
}

func (u *upload) run(body io.Reader) (info os.FileInfo, created bool, err error) {
	target := followed(u.path)
	if _, err := u.there(target); err != nil {
		return nil, false, err
	}
	temp, err := createBeside(target)
	if err != nil {
		return nil, false, err
	}
	defer func() {
		_ = temp.Close()
		if err != nil {
			_ = os.Remove(temp.Name())
		}
	}()
	if err := fill(temp, body); err != nil {
		return nil, false, err
	}
	return u.place(temp, target)
}

// there is the file to be replaced, nil if there is none; an error if it must not be replaced.
func (u *upload) there(target string) (os.FileInfo, error) {
	info, err := os.Lstat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, u.condition.check(u.path, nil)
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, folderInstead(u.path)
	case !info.Mode().IsRegular() && info.Mode().Type() != os.ModeSymlink:
		return nil, notAFile(u.path, info.Mode())
	}
	return info, u.condition.check(u.path, info)
}

func (u *upload) place(temp *os.File, target string) (os.FileInfo, bool, error) {
	u.commit.Lock()
	defer u.commit.Unlock()
	old, err := u.there(target)
	if err != nil {
		return nil, false, err
	}
	if err := temp.Chmod(u.modeAfter(old)); err != nil {
		return nil, false, err
	}
	if err := os.Rename(temp.Name(), target); err != nil {
		return nil, false, err
	}
	info, err := temp.Stat()
	return info, old == nil, err
}

func (u *upload) modeAfter(old os.FileInfo) os.FileMode {
	switch {
	case u.mode != nil:
		return *u.mode
	case old != nil && old.Mode().IsRegular():
		return old.Mode().Perm()
	}
	return defaultMode
}

// followed is where a link leads, so that writing through it keeps the link; a dangling one is replaced.
func followed(path string) string {
	if end, err := filepath.EvalSymlinks(path); err == nil {
		return end
	}
	return path
}

// unfinished begins the name of a file on its way; it is removed if it does not arrive.
const unfinished = ".upload-"

func isUnfinished(name string) bool { return strings.HasPrefix(name, unfinished) }

func createBeside(target string) (*os.File, error) {
	name := filepath.Join(filepath.Dir(target), web.NewID(unfinished))
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

func fill(file *os.File, body io.Reader) error {
	buffer := copyBuffers.Get().(*[copyBytes]byte)
	defer copyBuffers.Put(buffer)
	_, err := io.CopyBuffer(struct{ io.Writer }{file}, struct{ io.Reader }{body}, buffer[:])
	return err
}

// Put writes a file as an upload does, with its folders.
func Put(workspace, path, mode string, content []byte) error {
	f := &files{workspace: workspace}
	target, err := f.resolve(path)
	if err != nil {
		return err
	}
	u, err := f.newUpload(target, mode, true)
	if err != nil {
		return err
	}
	if _, _, err = u.run(bytes.NewReader(content)); err != nil {
		return explain(target, err)
	}
	return nil
}
