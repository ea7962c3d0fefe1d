// Package files reads and writes the sandbox's files for clients.
package files

import (
	"net/http"
	"sync"

	"dev.sandboxer/boxd/internal/auth"
	"dev.sandboxer/boxd/internal/config"
	"dev.sandboxer/boxd/internal/web"
)

type files struct {
	workspace string
	commit    sync.Mutex // a conditional upload's check and its rename are one step among clients
}

// Routes of the files. Paths are the sandbox's own: what boxd's user may touch, a client may; the sandbox is the boundary.
func Routes(c config.Config) []web.Route {
	f := &files{workspace: c.Workspace}
	return []web.Route{
		{Method: http.MethodPost, Path: "/v1/files/upload", Capability: auth.FSWrite, Handle: f.upload},
		{Method: http.MethodGet, Path: "/v1/files/download", Capability: auth.FSRead, Handle: f.download},
		{Method: http.MethodGet, Path: "/v1/files/list", Capability: auth.FSRead, Handle: f.list},
		{Method: http.MethodGet, Path: "/v1/files/stat", Capability: auth.FSRead, Handle: f.stat},
	}
}
