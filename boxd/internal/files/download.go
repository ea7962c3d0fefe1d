package files

import (
	"io"
	"net/http"
	"os"
	"syscall"

	"dev.sandboxer/boxd/internal/problem"
	"dev.sandboxer/boxd/internal/web"
)

// download sends a file, with ranges and conditions as RFC 9110 has them, or a folder as a tar.
func (f *files) download(c *web.Call) error {
	query, err := c.Query("path", "archive")
	if err != nil {
		return err
	}
	path, err := f.resolve(query["path"])
	if err != nil {
		return err
	}
	archive, err := parseTar("archive", query["archive"])
	if err != nil {
		return err
	}
	if archive {
		return archiveFolder(c, path)
	}
	file, info, err := openFile(path)
	if err != nil {
		return explain(path, err)
	}
	defer file.Close()
	return sendFile(c, path, file, info)
}

// openFile opens a regular file; non-blocking, for a fifo would wait for its writer.
func openFile(path string) (*os.File, os.FileInfo, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	var system syscall.Statfs_t
	info, err := file.Stat()
	switch {
	case err != nil:
	case syscall.Fstatfs(int(file.Fd()), &system) == nil && kernels(system):
		err = problem.New(problem.Forbidden, "%.500q is the kernel's own, not a file with content; run cat on it", path)
	case info.IsDir():
		err = folderInstead(path)
	case !info.Mode().IsRegular():
		err = notAFile(path, info.Mode())
	default:
		return file, info, nil
	}
	_ = file.Close()
	return nil, nil, err
}

func sendFile(c *web.Call, path string, file *os.File, info os.FileInfo) error {
	header := c.W.Header()
	header.Set("ETag", etag(info))
	header.Set("Content-Type", "application/octet-stream")
	header.Set("Content-Disposition", "attachment")
	w := &withoutRefusal{ResponseWriter: c.W}
	http.ServeContent(w, c.R, "", info.ModTime(), file)
	switch w.refused {
	case http.StatusPreconditionFailed:
		return problem.New(problem.PreconditionFailed, "%.500q is not what the request's condition says; its ETag is %s", path, etag(info))
	case http.StatusRequestedRangeNotSatisfiable:
		e := problem.New(problem.Validation, "Range %.100q lies outside of the %d bytes of %.500q", c.R.Header.Get("Range"), info.Size(), path)
		e.HTTP = http.StatusRequestedRangeNotSatisfiable
		return e
	}
	return nil
}

// withoutRefusal keeps net/http's plain-text refusals from the wire, so that ours can be sent.
type withoutRefusal struct {
	http.ResponseWriter
	refused int
}

func (w *withoutRefusal) WriteHeader(status int) {
	if status >= http.StatusBadRequest {
		w.refused = status
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *withoutRefusal) Write(data []byte) (int, error) {
	if w.refused != 0 {
		return len(data), nil
	}
	return w.ResponseWriter.Write(data)
}

// ReadFrom copies in larger pieces than io.Copy does.
func (w *withoutRefusal) ReadFrom(from io.Reader) (int64, error) {
	buffer := copyBuffers.Get().(*[copyBytes]byte)
	defer copyBuffers.Put(buffer)
	return io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{from}, buffer[:])
}
