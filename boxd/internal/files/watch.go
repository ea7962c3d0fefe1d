package files

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"syscall"
	"time"
	"unicode/utf8"

	"dev.sandboxer/boxd/internal/problem"
	"dev.sandboxer/boxd/internal/watch"
	"dev.sandboxer/boxd/internal/web"
)

const (
	watchPing  = 15 * time.Second
	watchStall = 60 * time.Second // a reader that takes nothing for so long is cut; until then the kernel's queue holds what happens
)

// change is an event as clients see it.
type change struct {
	Type       string `json:"type"`
	Path       string `json:"path,omitempty"`
	PathBase64 string `json:"path_base64,omitempty"`
	From       string `json:"from,omitempty"`
	Folder     bool   `json:"folder,omitempty"`
	Reason     string `json:"reason,omitempty"`
}

// watch streams changes as server-sent events: first ready, then change and overflow, and end when what is watched is gone.
func (f *files) watch(c *web.Call) error {
	query, err := c.Query("path", "recursive")
	if err != nil {
		return err
	}
	if query["path"] == "" {
		query["path"] = "."
	}
	path, err := f.resolve(query["path"])
	if err != nil {
		return err
	}
	recursive, err := web.ParseBool("recursive", query["recursive"])
	if err != nil {
		return err
	}
	if !f.watchers.Enter() {
		return problem.New(problem.WatchLimit, "%d watches are open in this sandbox, which is its limit (limits.watchers of the profile)", f.watchers.Limit())
	}
	defer f.watchers.Leave()
	tree, err := watch.New(path, recursive, isUnfinished, f.watched)
	if err != nil {
		return f.cannotWatch(path, err)
	}
	defer tree.Free()
	defer tree.Close()
	go func() {
		<-c.R.Context().Done()
		tree.Close()
	}()
	return stream(c, tree)
}

func (f *files) cannotWatch(path string, err error) error {
	switch {
	case errors.Is(err, watch.ErrFull):
		return problem.New(problem.WatchLimit, "%.500q has more folders than may be watched: %d in this sandbox (limits.watched_folders of the profile), or fewer by the kernel", path, f.limits.Get().WatchedFolders)
	case errors.Is(err, syscall.EMFILE):
		return problem.New(problem.WatchLimit, "the kernel gives this sandbox no further watch: %v", err)
	}
	return explain(path, err)
}

func stream(c *web.Call, tree *watch.Tree) error {
	header := c.W.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-store")
	out := &eventStream{c.W, http.NewResponseController(c.W)}
	if err := out.send("ready", map[string]int{"folders": tree.Folders()}); err != nil {
		return nil
	}
	for {
		events, err := tree.Next(time.Now().Add(watchPing))
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			if out.write(": ping\n\n") != nil {
				return nil
			}
		case errors.Is(err, os.ErrNotExist):
			_ = out.send("end", struct{}{})
			return nil
		case err != nil:
			return nil
		}
		for _, e := range events {
			if out.event(e) != nil {
				return nil
			}
		}
	}
}

// eventStream writes server-sent events, each at once.
type eventStream struct {
	w          http.ResponseWriter
	controller *http.ResponseController
}

func (s *eventStream) event(e watch.Event) error {
	told := change{Type: e.Type, Path: e.Path, From: e.From, Folder: e.Folder, Reason: e.Reason}
	if !utf8.ValidString(e.Path) {
		told.PathBase64 = base64.StdEncoding.EncodeToString([]byte(e.Path))
	}
	if e.Type == watch.Overflow {
		return s.send("overflow", told)
	}
	return s.send("change", told)
}

func (s *eventStream) send(name string, data any) error {
	encoded, err := json.Marshal(data)
	if err != nil {
		return err
	}
	return s.write(fmt.Sprintf("event: %s\ndata: %s\n\n", name, encoded))
}

func (s *eventStream) write(text string) error {
	_ = s.controller.SetWriteDeadline(time.Now().Add(watchStall))
	if _, err := s.w.Write([]byte(text)); err != nil {
		return err
	}
	return s.controller.Flush()
}
