package control

import (
	"encoding/json"
	"net/http"
	"time"

	"dev.sandboxer/boxd/internal/auth"
	"dev.sandboxer/boxd/internal/config"
	"dev.sandboxer/boxd/internal/problem"
	"dev.sandboxer/boxd/internal/web"
)

type routes struct {
	state  *State
	limits *config.Live
	close  func(since time.Time) (last time.Time, closed bool)
}

// Routes are the admin's. closeIfIdle shuts the sandbox to new requests if it was not used since then, in one step.
func Routes(state *State, limits *config.Live, closeIfIdle func(since time.Time) (last time.Time, closed bool)) []web.Route {
	r := routes{state, limits, closeIfIdle}
	admin := func(path string, handle func(*web.Call) error) web.Route {
		return web.Route{Method: http.MethodPost, Path: "/v1/control/" + path, Capability: auth.Admin, Anytime: true, Quiet: true, Handle: handle}
	}
	return []web.Route{
		admin("configure", r.configure),
		admin("deadline", r.deadline),
		admin("mounts", r.mounts),
		admin("shutdown", r.shutdown),
		admin("revoke", r.revoke),
		admin("keys", r.keys),
	}
}

func (r routes) read(c *web.Call, into any) error { return c.ReadJSON(into, r.limits.Get().JSONBytes) }

func (r routes) deadline(c *web.Call) error {
	var body struct {
		DeadlineSeconds int64 `json:"deadline_seconds"`
	}
	if err := r.read(c, &body); err != nil {
		return err
	}
	if err := checkDeadline(body.DeadlineSeconds); err != nil {
		return err
	}
	r.state.setDeadline(time.Duration(body.DeadlineSeconds) * time.Second)
	return c.NoContent()
}

func checkDeadline(seconds int64) error {
	if seconds < 1 || seconds > int64(config.MaxDeadline/time.Second) {
		return problem.New(problem.Validation, "deadline_seconds is %d, must be 1 to %d", seconds, int64(config.MaxDeadline/time.Second))
	}
	return nil
}

// shutdown ends the sandbox. With if_idle_since it does so only if nobody has used it since then and nothing runs in it; the look
// and the decision are one step, so that no request slips in between.
func (r routes) shutdown(c *web.Call) error {
	var body struct {
		IfIdleSince *time.Time `json:"if_idle_since"`
	}
	if err := r.read(c, &body); err != nil {
		return err
	}
	if body.IfIdleSince != nil {
		if last, closed := r.close(*body.IfIdleSince); !closed {
			return problem.New(problem.InvalidState, "the sandbox is in use, or was until %s", last.UTC().Format(time.RFC3339Nano))
		}
	}
	c.W.WriteHeader(http.StatusAccepted)
	_ = http.NewResponseController(c.W).Flush()
	r.state.end("shutdown")
	return nil
}

// revoke refuses tokens of older epochs and cuts what they opened.
func (r routes) revoke(c *web.Call) error {
	var body struct {
		Scope    string `json:"scope"`
		ID       string `json:"id"`
		MinEpoch int64  `json:"min_epoch"`
	}
	if err := r.read(c, &body); err != nil {
		return err
	}
	session := ""
	switch {
	case body.MinEpoch < 1:
		return problem.New(problem.Validation, "min_epoch is %d, must be 1 or more", body.MinEpoch)
	case body.Scope == "session" && body.ID != "" && len(body.ID) <= 128:
		session = body.ID
	case body.Scope == "session":
		return problem.New(problem.Validation, "scope session needs an id of 1 to 128 bytes")
	case body.Scope != "sandbox" && body.Scope != "tenant" && body.Scope != "all":
		return problem.New(problem.Validation, "scope is %.40q, must be session, sandbox, tenant or all", body.Scope)
	}
	c.Outlive()
	return c.JSON(http.StatusOK, struct {
		Cut int `json:"cut"`
	}{r.state.verifier.Revoke(session, body.MinEpoch)})
}

// keys replaces the keys that tokens are checked with. The request's own token is by one of the present ones.
func (r routes) keys(c *web.Call) error {
	var body struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := r.read(c, &body); err != nil {
		return err
	}
	if err := r.state.verifier.Trust(body.Keys); err != nil {
		return problem.New(problem.Validation, "%v; the present keys stay", err)
	}
	return c.NoContent()
}
