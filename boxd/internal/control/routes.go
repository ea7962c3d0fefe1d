package control

import (
	"net/http"
	"time"

	"dev.sandboxer/boxd/internal/auth"
	"dev.sandboxer/boxd/internal/config"
	"dev.sandboxer/boxd/internal/problem"
	"dev.sandboxer/boxd/internal/process"
	"dev.sandboxer/boxd/internal/web"
)

type routes struct {
	state   *State
	maxBody int64
}

// Routes are the admin's.
func Routes(state *State, limits config.Limits) []web.Route {
	r := routes{state, limits.MaxJSONBytes}
	return []web.Route{
		{Method: http.MethodPost, Path: "/v1/control/configure", Capability: auth.Admin, Anytime: true, Handle: r.configure},
		{Method: http.MethodPost, Path: "/v1/control/deadline", Capability: auth.Admin, Anytime: true, Handle: r.deadline},
		{Method: http.MethodPost, Path: "/v1/control/mounts", Capability: auth.Admin, Anytime: true, Handle: r.mounts},
		{Method: http.MethodPost, Path: "/v1/control/shutdown", Capability: auth.Admin, Anytime: true, Handle: r.shutdown},
	}
}

func (r routes) configure(c *web.Call) error {
	var body struct {
		Env             map[string]string `json:"env"`
		DeadlineSeconds *int64            `json:"deadline_seconds"`
	}
	if err := c.ReadJSON(&body, r.maxBody); err != nil {
		return err
	}
	if err := process.CheckEnv(body.Env); err != nil {
		return problem.New(problem.Validation, "%v", err)
	}
	if body.DeadlineSeconds != nil {
		if err := r.resetDeadline(*body.DeadlineSeconds); err != nil {
			return err
		}
	}
	r.state.configure(body.Env)
	return noContent(c)
}

func (r routes) deadline(c *web.Call) error {
	var body struct {
		DeadlineSeconds int64 `json:"deadline_seconds"`
	}
	if err := c.ReadJSON(&body, r.maxBody); err != nil {
		return err
	}
	if err := r.resetDeadline(body.DeadlineSeconds); err != nil {
		return err
	}
	return noContent(c)
}

func (r routes) resetDeadline(seconds int64) error {
	if seconds < 1 || seconds > int64(config.MaxDeadline/time.Second) {
		return problem.New(problem.Validation, "deadline_seconds is %d, must be 1 to %d", seconds, int64(config.MaxDeadline/time.Second))
	}
	r.state.setDeadline(time.Duration(seconds) * time.Second)
	return nil
}

func (r routes) shutdown(c *web.Call) error {
	var body struct{}
	if err := c.ReadJSON(&body, r.maxBody); err != nil {
		return err
	}
	c.W.WriteHeader(http.StatusAccepted)
	_ = http.NewResponseController(c.W).Flush()
	r.state.end("shutdown")
	return nil
}

func noContent(c *web.Call) error {
	c.W.WriteHeader(http.StatusNoContent)
	return nil
}
