package server

import (
	"net"
	"net/http"
	"slices"
	"time"

	"dev.sandboxer/boxd/internal/auth"
	"dev.sandboxer/boxd/internal/budget"
	"dev.sandboxer/boxd/internal/config"
	"dev.sandboxer/boxd/internal/control"
	"dev.sandboxer/boxd/internal/egress"
	"dev.sandboxer/boxd/internal/exec"
	"dev.sandboxer/boxd/internal/files"
	"dev.sandboxer/boxd/internal/managed"
	"dev.sandboxer/boxd/internal/mcp"
	"dev.sandboxer/boxd/internal/metrics"
	"dev.sandboxer/boxd/internal/ports"
	"dev.sandboxer/boxd/internal/process"
	"dev.sandboxer/boxd/internal/run"
	"dev.sandboxer/boxd/internal/web"
)

// parts are what the routes work on.
type parts struct {
	ending   *ending
	limits   *config.Live
	state    *control.State
	activity *web.Activity
	table    *process.Table
	memory   *budget.Budget
	runner   *run.Runner
	managed  *managed.Registry
	mcp      *mcp.Hub
}

func newParts(o Options, verifier *auth.Verifier, image map[string]string) *parts {
	p := &parts{ending: newEnding(), limits: config.NewLive(o.Config.Limits), activity: web.NewActivity(), table: process.NewTable(o.prepare)}
	p.state = control.NewState(o.Config, p.limits, verifier, p.ending.because)
	p.memory = budget.New(func() int64 { return p.limits.Get().OutputMemoryBytes })
	p.runner = run.NewRunner(o.Config, p.limits, p.table, p.state.Env, image)
	p.managed = managed.NewRegistry(p.runner, p.limits, p.memory)
	p.mcp = mcp.NewHub(p.managed, p.limits, p.memory)
	return p
}

// busy says whether anything runs that somebody started.
func (p *parts) busy() bool { return p.table.Running() > 0 || p.managed.Active() > 0 }

func (p *parts) handler(o Options, verifier *auth.Verifier, listener net.Listener) http.Handler {
	idle := func(since time.Time) (time.Time, bool) { return p.activity.CloseIfIdle(since, p.busy) }
	routes := slices.Concat(
		[]web.Route{health(o.Version, p.state)},
		control.Routes(p.state, p.limits, idle),
		egress.NewForwarder().Routes(),
		exec.Routes(p.runner, p.managed, p.limits, p.memory),
		p.managed.Routes(),
		p.mcp.Routes(),
		files.Routes(o.Config, p.limits),
		ports.Routes(listener, p.limits, o.Ports),
		metrics.Routes(o.Config.Workspace, o.Config.Pids),
	)
	return web.NewRouter(routes, verifier, p.state.Configured, p.activity, int(o.Config.Limits.HeaderBytes), o.Log)
}

func health(version string, state *control.State) web.Route {
	return web.Route{Method: http.MethodGet, Path: "/v1/health", Anytime: true, Quiet: true, Handle: func(c *web.Call) error {
		sandboxID, generation := state.Identity()
		return c.JSON(http.StatusOK, struct {
			Version    string `json:"version"`
			SandboxID  string `json:"sandbox_id"`
			Generation int64  `json:"generation"`
		}{version, sandboxID, generation})
	}}
}
