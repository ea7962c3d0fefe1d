package managed

import (
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"dev.sandboxer/boxd/internal/auth"
	"dev.sandboxer/boxd/internal/frames"
	"dev.sandboxer/boxd/internal/problem"
	"dev.sandboxer/boxd/internal/run"
	"dev.sandboxer/boxd/internal/socket"
	"dev.sandboxer/boxd/internal/web"
)

const mostSeconds = 366 * 24 * 3600 // that since_seconds looks back

// Routes of the managed processes.
func (r *Registry) Routes() []web.Route {
	return []web.Route{
		{Method: http.MethodPost, Path: "/v1/processes", Capability: auth.Process, Handle: r.post},
		{Method: http.MethodGet, Path: "/v1/processes", Capability: auth.Process, Handle: r.getAll},
		{Method: http.MethodGet, Path: "/v1/processes/{id}", Capability: auth.Process, Handle: r.with(show)},
		{Method: http.MethodDelete, Path: "/v1/processes/{id}", Capability: auth.Process, Handle: r.with(r.end)},
		{Method: http.MethodPost, Path: "/v1/processes/{id}/signal", Capability: auth.Process, Handle: r.with(r.signal)},
		{Method: http.MethodPost, Path: "/v1/processes/{id}/stdin", Capability: auth.Process, Handle: r.with(r.stdin)},
		{Method: http.MethodGet, Path: "/v1/processes/{id}/output", Capability: auth.Process, Handle: r.with(output)},
		socket.Route("/v1/processes/{id}/attach", auth.Process, r.with(r.attach)),
	}
}

func (r *Registry) with(handle func(*web.Call, *Process) error) func(*web.Call) error {
	return func(c *web.Call) error {
		p, err := r.Get(c.Params["id"])
		if err != nil {
			return err
		}
		return handle(c, p)
	}
}

type request struct {
	ProcessID         string            `json:"process_id"`
	Command           json.RawMessage   `json:"command"`
	Cwd               string            `json:"cwd"`
	Env               map[string]string `json:"env"`
	TTY               *frames.Resize    `json:"tty"`
	Restart           string            `json:"restart"`
	Stdin             string            `json:"stdin"`
	OutputBufferBytes *int64            `json:"output_buffer_bytes"`
	Replace           bool              `json:"replace"`
}

func (r *Registry) post(c *web.Call) error {
	var q request
	if err := c.ReadJSON(&q, r.limits.Get().JSONBytes); err != nil {
		return err
	}
	command := run.Command{Command: q.Command, Cwd: q.Cwd, Env: q.Env}
	switch q.Stdin {
	case "", "closed":
	case "open":
		command.Stdin = true
	default:
		return problem.New(problem.Validation, "stdin is %.40q, must be open or closed", q.Stdin)
	}
	if q.TTY != nil {
		size, err := TerminalSize(*q.TTY)
		if err != nil {
			return err
		}
		command.TTY, command.Stdin = &size, true
	}
	p, err := r.Start(Spec{ID: q.ProcessID, Command: command, Restart: q.Restart, BufferBytes: q.OutputBufferBytes, Replace: q.Replace})
	if err != nil {
		return err
	}
	return c.JSON(http.StatusCreated, p.view())
}

func (r *Registry) getAll(c *web.Call) error {
	items := []view{}
	for _, p := range r.list() {
		items = append(items, p.view())
	}
	slices.SortFunc(items, func(a, b view) int { return a.StartedAt.Compare(b.StartedAt) })
	return c.JSON(http.StatusOK, struct {
		Items []view `json:"items"`
	}{items})
}

func show(c *web.Call, p *Process) error { return c.JSON(http.StatusOK, p.view()) }

// end ends a process, or takes one that has ended off the list; in both cases nothing that it started is left.
func (r *Registry) end(c *web.Call, p *Process) error {
	finished := !p.over().IsZero()
	p.End()
	shown := p.view()
	if finished {
		r.Forget(p)
	}
	return c.JSON(http.StatusOK, shown)
}

func (r *Registry) signal(c *web.Call, p *Process) error {
	var q frames.Signal
	if err := c.ReadJSON(&q, r.limits.Get().JSONBytes); err != nil {
		return err
	}
	if err := p.Signal(q.Name); err != nil {
		return err
	}
	return c.NoContent()
}

func (r *Registry) attach(c *web.Call, p *Process) error {
	query, err := c.Query("stdout_offset", "stderr_offset", "since_seconds", "write")
	if err != nil {
		return err
	}
	var from From
	for name, into := range map[string]**int64{"stdout_offset": &from.Stdout, "stderr_offset": &from.Stderr} {
		if *into, err = parseOffset(name, query[name]); err != nil {
			return err
		}
	}
	seconds, err := parseOffset("since_seconds", query["since_seconds"])
	if err != nil {
		return err
	}
	if seconds != nil {
		from.Since = time.Now().Add(-time.Duration(min(*seconds, mostSeconds)) * time.Second)
	}
	writes, err := web.ParseBool("write", query["write"])
	if err != nil {
		return err
	}
	conn := socket.Accept(c, auth.Process, r.limits.Get().JSONBytes)
	if conn == nil {
		return nil
	}
	defer conn.Drop()
	a, err := p.Attach(conn, from)
	if err == nil && writes {
		if err = a.ClaimSoon(); err != nil {
			a.Detach()
		}
	}
	if err != nil {
		conn.Fail(err)
		conn.Close()
		return nil
	}
	a.Serve(conn)
	return nil
}
