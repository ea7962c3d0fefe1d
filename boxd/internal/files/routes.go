// Package files reads and writes the sandbox's files for clients.
package files

import (
	"net/http"
	"sync"

	"dev.sandboxer/boxd/internal/auth"
	"dev.sandboxer/boxd/internal/budget"
	"dev.sandboxer/boxd/internal/config"
	"dev.sandboxer/boxd/internal/web"
)

type files struct {
	workspace string
	limits    *config.Live
	searches  *budget.Gate
	watchers  *budget.Gate
	watched   *budget.Budget // folders
	commit    sync.Mutex     // a conditional upload's check and its rename are one step among clients
}

// Routes of the files. Paths are the sandbox's own: what boxd's user may touch, a client may; the sandbox is the boundary.
func Routes(c config.Config, limits *config.Live) []web.Route {
	f := &files{
		workspace: c.Workspace,
		limits:    limits,
		searches:  budget.NewGate(func() int { return limits.Get().Searches }),
		watchers:  budget.NewGate(func() int { return limits.Get().Watchers }),
		watched:   budget.New(func() int64 { return int64(limits.Get().WatchedFolders) }),
	}
	turns := newTurns()
	return []web.Route{
		{Method: http.MethodPost, Path: "/v1/files/upload", Capability: auth.FSWrite, Handle: turns.each(f.upload)},
		{Method: http.MethodGet, Path: "/v1/files/download", Capability: auth.FSRead, Handle: turns.each(f.download)},
		{Method: http.MethodGet, Path: "/v1/files/list", Capability: auth.FSRead, Handle: turns.each(f.list)},
		{Method: http.MethodGet, Path: "/v1/files/stat", Capability: auth.FSRead, Handle: turns.each(f.stat)},
		{Method: http.MethodGet, Path: "/v1/files/search", Capability: auth.FSRead, Handle: turns.each(f.search)},
		{Method: http.MethodGet, Path: "/v1/files/watch", Capability: auth.FSRead, Handle: f.watch},
		{Method: http.MethodPost, Path: "/v1/files/mkdir", Capability: auth.FSWrite, Handle: turns.each(f.mkdir)},
		{Method: http.MethodPost, Path: "/v1/files/move", Capability: auth.FSWrite, Handle: turns.each(f.move)},
		{Method: http.MethodPost, Path: "/v1/files/remove", Capability: auth.FSWrite, Handle: turns.each(f.remove)},
		{Method: http.MethodPost, Path: "/v1/files/chmod", Capability: auth.FSWrite, Handle: turns.each(f.chmod)},
	}
}
