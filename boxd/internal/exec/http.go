package exec

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"time"

	"dev.sandboxer/boxd/internal/frames"
	"dev.sandboxer/boxd/internal/problem"
	"dev.sandboxer/boxd/internal/run"
	"dev.sandboxer/boxd/internal/web"
)

const (
	defaultTimeout = 60 * time.Second
	maxTimeout     = 366 * 24 * time.Hour
)

type request struct {
	Command          json.RawMessage   `json:"command"`
	Cwd              string            `json:"cwd"`
	Env              map[string]string `json:"env"`
	Stdin            *string           `json:"stdin"`
	StdinEncoding    string            `json:"stdin_encoding"`
	TimeoutMS        *int64            `json:"timeout_ms"`
	OutputLimitBytes *int64            `json:"output_limit_bytes"`
}

func (r *routes) post(c *web.Call) error {
	var q request
	if err := c.ReadJSON(&q, r.limits.Get().JSONBytes); err != nil {
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
	command, err := r.begin(q)
	if err != nil {
		return err
	}
	if streamed {
		return stream(c, command, timeout, limit)
	}
	return r.whole(c, command, timeout, limit)
}

func (r *routes) begin(q request) (*run.Running, error) {
	var input []byte
	if q.Stdin != nil {
		var err error
		if input, err = frames.Bytes(*q.Stdin, q.StdinEncoding); err != nil {
			return nil, err
		}
	} else if q.StdinEncoding != "" {
		return nil, problem.New(problem.Validation, "stdin_encoding is given, but no stdin")
	}
	command, err := r.runner.Start(run.Command{Command: q.Command, Cwd: q.Cwd, Env: q.Env, Stdin: q.Stdin != nil})
	if err == nil && q.Stdin != nil {
		go func() {
			_, _ = command.Stdin.Write(input) // a command may well end without reading it
			_ = command.Stdin.Close()
		}()
	}
	return command, err
}

func (r *routes) whole(c *web.Call, command *run.Running, timeout time.Duration, limit int64) error {
	stdout, stderr := run.NewCapture(limit, r.memory), run.NewCapture(limit, r.memory)
	defer stdout.Free()
	defer stderr.Free()
	command.Pump(stdout, stderr)
	exit := command.Wait(c.R.Context(), timeout)
	return answer(c, exit, stdout, stderr)
}

func stream(c *web.Call, command *run.Running, timeout time.Duration, limit int64) error {
	lines := &lineWriter{w: c.W, flush: http.NewResponseController(c.W).Flush}
	c.W.Header().Set("Content-Type", "application/x-ndjson")
	_ = lines.send(frames.Ready{ProcessID: web.NewID("prc_"), Pid: command.Process.Pid}.Encode())
	stdout := &run.Limited{To: frames.Text(frames.Stdout, 0, lines.send), Left: limit}
	stderr := &run.Limited{To: frames.Text(frames.Stderr, 0, lines.send), Left: limit}
	command.Pump(stdout, stderr)
	exit := command.Wait(c.R.Context(), timeout)
	exit.StdoutTruncated, exit.StderrTruncated = stdout.Truncated, stderr.Truncated
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
func (r *routes) outputLimit(asked *int64, streamed bool) (int64, error) {
	most := r.limits.Get().ExecOutputBytes
	if streamed {
		most = 1 << 62
	}
	if asked == nil {
		return most, nil
	}
	if *asked < 0 || *asked > most {
		return 0, problem.New(problem.Validation, "output_limit_bytes is %d, must be 0 to %d (limits.exec_output_bytes of the profile); stream with Accept: application/x-ndjson for more", *asked, most)
	}
	return *asked, nil
}
