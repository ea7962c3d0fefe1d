package exec

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"time"

	"dev.sandboxer/boxd/internal/auth"
	"dev.sandboxer/boxd/internal/frames"
	"dev.sandboxer/boxd/internal/problem"
	"dev.sandboxer/boxd/internal/web"
)

const (
	defaultTimeout = 60 * time.Second
	maxTimeout     = 366 * 24 * time.Hour
)

// Routes of the runner.
func (r *Runner) Routes() []web.Route {
	return []web.Route{
		{Method: http.MethodPost, Path: "/v1/exec", Capability: auth.Exec, Handle: r.post},
		{Method: http.MethodGet, Path: "/v1/exec/ws", Capability: auth.Exec, FirstFrame: true, Handle: r.socket},
	}
}

type request struct {
	Command          json.RawMessage   `json:"command"`
	Cwd              string            `json:"cwd"`
	Env              map[string]string `json:"env"`
	Stdin            *string           `json:"stdin"`
	StdinEncoding    string            `json:"stdin_encoding"`
	TimeoutMS        *int64            `json:"timeout_ms"`
	OutputLimitBytes *int64            `json:"output_limit_bytes"`
}

type reply struct {
	ExitCode        *int    `json:"exit_code"`
	Signal          *string `json:"signal"`
	Stdout          string  `json:"stdout"`
	Stderr          string  `json:"stderr"`
	StdoutEncoding  string  `json:"stdout_encoding"`
	StderrEncoding  string  `json:"stderr_encoding"`
	StdoutTruncated bool    `json:"stdout_truncated"`
	StderrTruncated bool    `json:"stderr_truncated"`
	DurationMS      int64   `json:"duration_ms"`
	TimedOut        bool    `json:"timed_out"`
}

func (r *Runner) post(c *web.Call) error {
	var q request
	if err := c.ReadJSON(&q, r.limits.MaxJSONBytes); err != nil {
		return err
	}
	timeout, err := timeoutOf(q.TimeoutMS, defaultTimeout)
	if err != nil {
		return err
	}
	streamed := strings.Contains(c.R.Header.Get("Accept"), "application/x-ndjson")
	limit, err := r.outputLimit(q.OutputLimitBytes, streamed)
	if err != nil {
		return err
	}
	run, err := r.begin(q)
	if err != nil {
		return err
	}
	if streamed {
		return stream(c, run, timeout, limit)
	}
	return whole(c, run, timeout, limit)
}

func (r *Runner) begin(q request) (*running, error) {
	var input []byte
	if q.Stdin != nil {
		var err error
		if input, err = frames.Text(*q.Stdin, q.StdinEncoding); err != nil {
			return nil, err
		}
	} else if q.StdinEncoding != "" {
		return nil, problem.New(problem.Validation, "stdin_encoding is given, but no stdin")
	}
	run, err := r.start(command{q.Command, q.Cwd, q.Env}, q.Stdin != nil)
	if err == nil && q.Stdin != nil {
		go func() {
			_, _ = run.stdin.Write(input) // a command may well end without reading it
			_ = run.stdin.Close()
		}()
	}
	return run, err
}

func whole(c *web.Call, run *running, timeout time.Duration, limit int64) error {
	stdout, stderr := &capture{limit: limit}, &capture{limit: limit}
	run.pump(stdout, stderr)
	exit := run.wait(c.R.Context(), timeout)
	answer := reply{
		ExitCode: exit.Code, Signal: exit.Signal, DurationMS: exit.Duration.Milliseconds(), TimedOut: exit.TimedOut,
		StdoutTruncated: stdout.truncated, StderrTruncated: stderr.truncated,
	}
	answer.Stdout, answer.StdoutEncoding = stdout.text()
	answer.Stderr, answer.StderrEncoding = stderr.text()
	return c.JSON(http.StatusOK, answer)
}

func stream(c *web.Call, run *running, timeout time.Duration, limit int64) error {
	lines := &lineWriter{w: c.W, flush: http.NewResponseController(c.W).Flush}
	c.W.Header().Set("Content-Type", "application/x-ndjson")
	_ = lines.send(frames.Ready(web.NewID("prc_"), run.process.Pid))
	stdout := &limited{to: &textFrames{stream: frames.Stdout, send: lines.send}, left: limit}
	stderr := &limited{to: &textFrames{stream: frames.Stderr, send: lines.send}, left: limit}
	run.pump(stdout, stderr)
	exit := run.wait(c.R.Context(), timeout)
	exit.StdoutTruncated, exit.StderrTruncated = stdout.truncated, stderr.truncated
	_ = lines.send(frames.Ended(exit))
	return nil
}

// lineWriter writes one frame a line, each at once.
type lineWriter struct {
	mu    sync.Mutex
	w     http.ResponseWriter
	flush func() error
}

func (l *lineWriter) send(frame []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := l.w.Write(frame); err != nil {
		return err
	}
	return l.flush()
}

func timeoutOf(ms *int64, otherwise time.Duration) (time.Duration, error) {
	if ms == nil {
		return otherwise, nil
	}
	if *ms < 1 || *ms > maxTimeout.Milliseconds() {
		return 0, problem.New(problem.Validation, "timeout_ms is %d, must be 1 to %d", *ms, maxTimeout.Milliseconds())
	}
	return time.Duration(*ms) * time.Millisecond, nil
}

// outputLimit is what is kept of each stream; what is streamed is not kept, and without a limit unless one is asked for.
func (r *Runner) outputLimit(asked *int64, streamed bool) (int64, error) {
	most := r.limits.OutputLimitBytes
	if streamed {
		most = 1 << 62
	}
	if asked == nil {
		return most, nil
	}
	if *asked < 0 || *asked > most {
		return 0, problem.New(problem.Validation, "output_limit_bytes is %d, must be 0 to %d; stream with Accept: application/x-ndjson for more", *asked, most)
	}
	return *asked, nil
}
