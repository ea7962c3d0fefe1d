package files

import (
	"archive/tar"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"dev.sandboxer/boxd/internal/problem"
	"dev.sandboxer/boxd/internal/web"
)

// archiveFolder streams the folder's content as a tar with names relative to it. Sockets, fifos and devices are left out, and so is what lies in /proc and /sys; links stay links.
func archiveFolder(c *web.Call, path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		err = syscall.ENOTDIR
	}
	if err == nil {
		_, err = smallest(path, "", 0) // whether we may read it
	}
	if err != nil {
		return explain(path, err)
	}
	if foreign(path) {
		return problem.New(problem.Forbidden, "%.500q is the kernel's own view of things and is not archived", path)
	}
	c.W.Header().Set("Content-Type", "application/x-tar")
	c.W.Header().Set("Content-Disposition", "attachment")
	if c.R.Method == http.MethodHead {
		return nil
	}
	if writeTar(c.W, path) != nil {
		panic(http.ErrAbortHandler) // the head is out: only a cut connection can still say that this is not all
	}
	return nil
}

func writeTar(to io.Writer, root string) error {
	if end, err := filepath.EvalSymlinks(root); err == nil {
		root = end
	}
	out := tar.NewWriter(to)
	deeper, err := walk(root, func(relative string, child fs.DirEntry) error {
		path := filepath.Join(root, relative)
		if err := writeEntry(out, relative, path, child); err != nil || !child.IsDir() || !foreign(path) {
			return err
		}
		return fs.SkipDir
	})
	if err == nil && deeper {
		err = errTooDeep
	}
	if err != nil {
		return err
	}
	return out.Close()
}

// errTooDeep cuts an archive that could not be whole.
var errTooDeep = errors.New("folders lie too deep")

func writeEntry(out *tar.Writer, name, path string, child fs.DirEntry) error {
	info, err := child.Info()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	modified := info.ModTime().Truncate(time.Second) // else it is rounded, also into the future
	header := &tar.Header{Name: name, Mode: int64(info.Mode().Perm()), ModTime: modified}
	switch kindOf(info.Mode()) {
	case "folder":
		header.Typeflag, header.Name = tar.TypeDir, name+"/"
		return out.WriteHeader(header)
	case "link":
		return writeLink(out, header, path)
	case "file":
		return writeFile(out, header, path)
	}
	return nil
}

func writeLink(out *tar.Writer, header *tar.Header, path string) error {
	target, err := os.Readlink(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	header.Typeflag, header.Linkname = tar.TypeSymlink, target
	return out.WriteHeader(header)
}

// writeFile sends as many bytes as the header said: a file that shrinks meanwhile is filled up with zeros, as tar does it.
func writeFile(out *tar.Writer, header *tar.Header, path string) error {
	file, info, err := openFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	header.Typeflag, header.Size = tar.TypeReg, info.Size()
	if err := out.WriteHeader(header); err != nil {
		return err
	}
	content := io.LimitReader(io.MultiReader(file, zeros{}), info.Size())
	buffer := copyBuffers.Get().(*[copyBytes]byte)
	defer copyBuffers.Put(buffer)
	_, err = io.CopyBuffer(struct{ io.Writer }{out}, content, buffer[:])
	return err
}

type zeros struct{}

func (zeros) Read(into []byte) (int, error) {
	clear(into)
	return len(into), nil
}
