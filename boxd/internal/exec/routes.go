// Package exec runs commands for clients: whole over HTTP, streamed as NDJSON, and live over a WebSocket.
package exec

import (
	"net/http"

	"dev.sandboxer/boxd/internal/auth"
	"dev.sandboxer/boxd/internal/budget"
	"dev.sandboxer/boxd/internal/config"
	"dev.sandboxer/boxd/internal/managed"
	"dev.sandboxer/boxd/internal/run"
	"dev.sandboxer/boxd/internal/socket"
	"dev.sandboxer/boxd/internal/web"
)

type routes struct {
	runner *run.Runner
	kept   *managed.Registry
	limits *config.Live
	memory *budget.Budget
}

// Routes of exec and shell. Commands that outlive their client become kept's; memory is what the output of all that do not stream shares.
func Routes(runner *run.Runner, kept *managed.Registry, limits *config.Live, memory *budget.Budget) []web.Route {
	r := &routes{runner, kept, limits, memory}
	return []web.Route{
		{Method: http.MethodPost, Path: "/v1/exec", Capability: auth.Exec, Handle: r.post},
		socket.Route("/v1/exec/ws", auth.Exec, r.exec),
		socket.Route("/v1/shell/ws", auth.Shell, r.shell),
	}
}
