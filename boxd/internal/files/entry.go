package files

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
	"unicode/utf8"

	"dev.sandboxer/boxd/internal/web"
)

// entry is a file as clients see it.
type entry struct {
	Path       string `json:"path"`
	PathBase64 string `json:"path_base64,omitempty"` // the exact bytes of a path that is not UTF-8
	Name       string `json:"name"`
	Type       string `json:"type"` // file, folder, link, fifo, socket, device
	SizeBytes  int64  `json:"size_bytes"`
	Mode       string `json:"mode"`
	ModifiedAt string `json:"modified_at"`
	ETag       string `json:"etag,omitempty"`
	LinkTarget string `json:"link_target,omitempty"`
}

func describe(path string, info os.FileInfo) entry {
	e := entry{
		Path:       path,
		Name:       filepath.Base(path),
		Type:       kindOf(info.Mode()),
		Mode:       fmt.Sprintf("%04o", info.Mode().Perm()),
		ModifiedAt: info.ModTime().UTC().Format(time.RFC3339Nano),
	}
	if !utf8.ValidString(path) {
		e.PathBase64 = base64.StdEncoding.EncodeToString([]byte(path))
	}
	switch {
	case info.Mode().IsRegular():
		e.SizeBytes = info.Size()
		e.ETag = etag(info)
	case e.Type == "link":
		e.LinkTarget, _ = os.Readlink(path)
	}
	return e
}

func kindOf(mode os.FileMode) string {
	switch mode.Type() {
	case 0:
		return "file"
	case os.ModeDir:
		return "folder"
	case os.ModeSymlink:
		return "link"
	case os.ModeNamedPipe:
		return "fifo"
	case os.ModeSocket:
		return "socket"
	}
	return "device"
}

// etag names a file's content: an upload always makes a new inode, a write in place a new time.
func etag(info os.FileInfo) string {
	var inode uint64
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		inode = stat.Ino
	}
	return fmt.Sprintf(`"%x-%x-%x"`, inode, info.Size(), info.ModTime().UnixNano())
}

func (f *files) stat(c *web.Call) error {
	query, err := c.Query("path")
	if err != nil {
		return err
	}
	path, err := f.resolve(query["path"])
	if err != nil {
		return err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return explain(path, err)
	}
	return c.JSON(200, describe(path, info))
}
