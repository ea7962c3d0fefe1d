package exec

import (
	"bufio"
	"encoding/json"
	"net/http"
	"time"

	"dev.sandboxer/boxd/internal/frames"
	"dev.sandboxer/boxd/internal/run"
	"dev.sandboxer/boxd/internal/web"
)

// answerTime is how long a client may take for each piece of an answer, which is held in memory until then.
const answerTime = 60 * time.Second

type reply struct {
	ExitCode        *int    `json:"exit_code"`
	Signal          *string `json:"signal"`
	StdoutEncoding  string  `json:"stdout_encoding"`
	StderrEncoding  string  `json:"stderr_encoding"`
	StdoutTruncated bool    `json:"stdout_truncated"`
	StderrTruncated bool    `json:"stderr_truncated"`
	TruncatedBy     string  `json:"truncated_by,omitempty"`
	DurationMS      int64   `json:"duration_ms"`
	TimedOut        bool    `json:"timed_out"`
	OOMKills        int64   `json:"oom_kills,omitempty"`
}

// answer writes the output piece by piece: as one value it would be in memory three times.
func answer(c *web.Call, exit frames.Exit, stdout, stderr *run.Capture) error {
	head := reply{
		ExitCode: exit.Code, Signal: exit.Signal, DurationMS: exit.Duration.Milliseconds(), TimedOut: exit.TimedOut, OOMKills: exit.OOMKills,
		StdoutEncoding: stdout.Encoding(), StderrEncoding: stderr.Encoding(),
		StdoutTruncated: stdout.Truncated, StderrTruncated: stderr.Truncated, TruncatedBy: truncatedBy(stdout, stderr),
	}
	encoded, err := json.Marshal(head)
	if err != nil {
		return err
	}
	c.W.Header().Set("Content-Type", "application/json")
	c.W.WriteHeader(http.StatusOK)
	out := bufio.NewWriterSize(&patient{c.W, http.NewResponseController(c.W)}, 4<<10)
	_, _ = out.Write(encoded[:len(encoded)-1])
	_, _ = out.WriteString(`,"stdout":`)
	_ = stdout.WriteJSON(out, head.StdoutEncoding)
	_, _ = out.WriteString(`,"stderr":`)
	_ = stderr.WriteJSON(out, head.StderrEncoding)
	_, _ = out.WriteString("}")
	_ = out.Flush() // a client that has gone has no use for an error
	return nil
}

func truncatedBy(captures ...*run.Capture) string {
	by := ""
	for _, capture := range captures {
		if capture.Starved {
			return "limits.output_memory_bytes"
		}
		if capture.Truncated {
			by = "output_limit_bytes"
		}
	}
	return by
}

// patient gives each write a time of its own.
type patient struct {
	w          http.ResponseWriter
	controller *http.ResponseController
}

func (p *patient) Write(data []byte) (int, error) {
	_ = p.controller.SetWriteDeadline(time.Now().Add(answerTime))
	defer func() { _ = p.controller.SetWriteDeadline(time.Time{}) }()
	return p.w.Write(data)
}
