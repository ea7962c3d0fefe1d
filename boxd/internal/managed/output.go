package managed

import (
	"fmt"
	"net/http"
	"strconv"

	"dev.sandboxer/boxd/internal/frames"
	"dev.sandboxer/boxd/internal/problem"
	"dev.sandboxer/boxd/internal/web"
)

// output sends the raw bytes of a stream from an offset on. Without follow it ends with what is there now.
func output(c *web.Call, p *Process) error {
	query, err := c.Query("stream", "offset", "follow")
	if err != nil {
		return err
	}
	follow, err := web.ParseBool("follow", query["follow"])
	if err != nil {
		return err
	}
	stream, err := parseStream(query["stream"])
	if err != nil {
		return err
	}
	wanted, err := parseOffset("offset", query["offset"])
	if err != nil {
		return err
	}
	ring := p.rings[stream-1]
	begin, end := ring.bounds()
	if wanted == nil {
		wanted = &begin
	}
	if *wanted > end {
		return beyond(stream, *wanted, end)
	}
	return send(c, ring, *wanted, end, follow)
}

func send(c *web.Call, ring *ring, wanted, end int64, follow bool) error {
	from := ring.reader(wanted)
	buffer := make([]byte, attachBuffer)
	before := end
	if follow {
		before = -1
	}
	found := from.poll(buffer, before)
	header := c.W.Header()
	header.Set("Content-Type", "application/octet-stream")
	header.Set("Sandboxer-Offset", strconv.FormatInt(found.at, 10))
	if found.at > wanted {
		header.Set("Sandboxer-Gap", fmt.Sprintf("%d-%d", wanted, found.at))
	}
	controller := http.NewResponseController(c.W)
	_ = controller.Flush()
	if c.R.Method == http.MethodHead {
		return nil
	}
	for next := found.at; ; found = from.poll(buffer, before) {
		if found.at > next {
			// It fell behind, and raw bytes cannot say that some are missing: only a cut connection can. It may come again.
			panic(http.ErrAbortHandler)
		}
		next = found.at + int64(found.n)
		if found.n > 0 {
			if _, err := c.W.Write(buffer[:found.n]); err != nil || controller.Flush() != nil {
				return nil
			}
			continue
		}
		if found.end || !follow {
			return nil
		}
		select {
		case <-found.wait:
		case <-c.R.Context().Done():
			return nil
		}
	}
}

func parseStream(value string) (frames.Stream, error) {
	switch value {
	case "", "stdout":
		return frames.Stdout, nil
	case "stderr":
		return frames.Stderr, nil
	}
	return 0, problem.New(problem.Validation, "stream is %.40q, must be stdout or stderr", value)
}

func parseOffset(name, value string) (*int64, error) {
	if value == "" {
		return nil, nil
	}
	offset, err := strconv.ParseInt(value, 10, 64)
	if err != nil || offset < 0 {
		return nil, problem.New(problem.Validation, "%s is %.40q, must be a whole number from 0 on", name, value)
	}
	return &offset, nil
}
