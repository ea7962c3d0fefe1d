package managed

import (
	"encoding/json"
	"errors"
	"time"

	"dev.sandboxer/boxd/internal/problem"
)

// span says which bytes of a stream are kept: those from First up to Next, which is the offset of the next one.
type span struct {
	First int64 `json:"first"`
	Next  int64 `json:"next"`
}

// view is a process as clients see it; its environment is not shown.
type view struct {
	ProcessID  string          `json:"process_id"`
	State      string          `json:"state"` // running, restarting, finished
	Command    json.RawMessage `json:"command"`
	Cwd        string          `json:"cwd,omitempty"`
	Pid        *int            `json:"pid"`
	TTY        bool            `json:"tty"`
	Stdin      string          `json:"stdin"`
	Restart    string          `json:"restart"`
	Restarts   int             `json:"restarts"`
	StartedAt  time.Time       `json:"started_at"`
	EndedAt    *time.Time      `json:"ended_at"`
	ExitCode   *int            `json:"exit_code"`
	Signal     *string         `json:"signal"`
	DurationMS *int64          `json:"duration_ms"`
	TimedOut   bool            `json:"timed_out"`
	OOMKills   int64           `json:"oom_kills,omitempty"`
	Error      string          `json:"error,omitempty"` // why it could not be started again
	Stdout     span            `json:"stdout"`
	Stderr     span            `json:"stderr"`
}

func (p *Process) view() view {
	p.mu.Lock()
	defer p.mu.Unlock()
	v := view{
		ProcessID: p.spec.ID, State: "restarting", Command: p.spec.Command.Command, Cwd: p.spec.Command.Cwd,
		TTY: p.spec.Command.TTY != nil, Stdin: "closed", Restart: p.spec.Restart, Restarts: p.restarts, StartedAt: p.started.UTC(),
	}
	if p.spec.Command.Stdin {
		v.Stdin = "open"
	}
	if p.exit != nil {
		ms := p.exit.Duration.Milliseconds()
		v.ExitCode, v.Signal, v.DurationMS, v.TimedOut = p.exit.Code, p.exit.Signal, &ms, p.exit.TimedOut
		v.OOMKills = p.exit.OOMKills
	}
	var known *problem.Error
	if errors.As(p.failure, &known) {
		v.Error = known.Message
	}
	switch {
	case p.running != nil:
		v.State, v.Pid = "running", &p.running.Process.Pid
	case !p.ended.IsZero():
		ended := p.ended.UTC()
		v.State, v.EndedAt = "finished", &ended
	}
	v.Stdout.First, v.Stdout.Next = p.rings[0].bounds()
	v.Stderr.First, v.Stderr.Next = p.rings[1].bounds()
	return v
}
