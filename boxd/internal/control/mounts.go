package control

import (
	"fmt"
	"net/http"
	"syscall"

	"dev.sandboxer/boxd/internal/problem"
	"dev.sandboxer/boxd/internal/web"
)

const maxMounts = 64

// mounts says what is really mounted, as device:inode, so that the platform can
// compare it with what it has checked on the host.
func (r routes) mounts(c *web.Call) error {
	var body struct {
		Paths []string `json:"paths"`
	}
	if err := r.read(c, &body); err != nil {
		return err
	}
	if len(body.Paths) > maxMounts {
		return problem.New(problem.Validation, "%d paths, at most %d", len(body.Paths), maxMounts)
	}
	found := make(map[string]string, len(body.Paths))
	for _, path := range body.Paths {
		var stat syscall.Stat_t
		if err := syscall.Lstat(path, &stat); err != nil {
			return problem.New(problem.Validation, "%s: %v", path, err)
		}
		found[path] = fmt.Sprintf("%d:%d", stat.Dev, stat.Ino)
	}
	return c.JSON(http.StatusOK, map[string]any{"mounts": found})
}
