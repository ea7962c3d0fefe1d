package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// watcher reads a stream of changes.
type watcher struct {
	t     *testing.T
	s     *sandbox
	lines *bufio.Scanner
	close func()
}

func (s *sandbox) watch(query string) *watcher {
	s.t.Helper()
	w := s.tryWatch(query)
	if w == nil {
		s.t.Fatal("the watch was refused")
	}
	return w
}

// tryWatch is nil if the watch was refused for lack of room.
func (s *sandbox) tryWatch(query string) *watcher {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 2*time.Minute)
	s.t.Cleanup(cancel)
	request := s.request("GET", "/v1/files/watch?"+query, "").WithContext(ctx)
	request.Header.Set("Authorization", "Bearer "+s.anything())
	response, err := s.client.Do(request)
	must(s.t, err)
	if response.StatusCode == http.StatusTooManyRequests {
		_ = response.Body.Close()
		return nil
	}
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "text/event-stream" {
		s.t.Fatal(response.StatusCode, response.Header)
	}
	w := &watcher{s.t, s, bufio.NewScanner(response.Body), cancel}
	if name, _ := w.next(); name != "ready" {
		s.t.Fatal(name)
	}
	return w
}

// next is an event's name and data; pings are left out.
func (w *watcher) next() (name string, data map[string]any) {
	w.t.Helper()
	for w.lines.Scan() {
		line := w.lines.Text()
		if event, found := strings.CutPrefix(line, "event: "); found {
			name = event
		}
		if raw, found := strings.CutPrefix(line, "data: "); found {
			must(w.t, json.Unmarshal([]byte(raw), &data))
			return name, data
		}
	}
	w.t.Fatalf("the stream ended: %v", w.lines.Err())
	return "", nil
}

// until reads changes up to the wanted one, and returns all of them.
func (w *watcher) until(want string) []string {
	w.t.Helper()
	var seen []string
	for {
		name, data := w.next()
		text := name
		if name == "change" {
			text = fmt.Sprint(data["type"], " ", strings.TrimPrefix(fmt.Sprint(data["path"]), w.s.workspace+"/"))
			if data["from"] != nil {
				text += " from " + strings.TrimPrefix(data["from"].(string), w.s.workspace+"/")
			}
		}
		seen = append(seen, text)
		if text == want {
			return seen
		}
		if len(seen) > 500 {
			w.t.Fatalf("no %q in %q", want, seen)
		}
	}
}

func TestWatchTellsWhatChanges(t *testing.T) {
	s := start(t)
	w := s.watch("path=.")
	must(t, os.WriteFile(s.in("f"), []byte("x"), 0o644))
	w.until("created f")
	w.until("modified f")
	must(t, os.Chmod(s.in("f"), 0o600))
	w.until("attributes f")
	must(t, os.Rename(s.in("f"), s.in("g\nh")))
	w.until("moved g\nh from f")
	must(t, os.Remove(s.in("g\nh")))
	w.until("removed g\nh")
	must(t, os.Mkdir(s.in("folder"), 0o755))
	must(t, os.WriteFile(s.in("folder/below"), nil, 0o644))
	must(t, os.WriteFile(s.in("last"), nil, 0o644))
	for _, told := range w.until("created last") {
		if strings.Contains(told, "below") {
			t.Fatal("a watch that is not recursive goes deeper")
		}
	}
	if got := s.upload("path=atomic", "x"); got.status != 201 {
		t.Fatal(got.status)
	}
	for _, told := range w.until("created atomic") {
		if strings.Contains(told, ".upload") {
			t.Fatal(told)
		}
	}
}

func TestWatchRecursivelyFollowsFolders(t *testing.T) {
	s := start(t)
	must(t, os.MkdirAll(s.in("a/b"), 0o755))
	w := s.watch("path=.&recursive=true")
	must(t, os.WriteFile(s.in("a/b/f"), nil, 0o644))
	w.until("created a/b/f")
	s.sh("mkdir -p x/y/z && echo > x/y/z/deep") // what is made before its folder is watched is told as well
	w.until("created x/y/z/deep")
	must(t, os.Rename(s.in("x/y"), s.in("a/y2")))
	w.until("moved a/y2 from x/y")
	must(t, os.WriteFile(s.in("a/y2/z/under its new name"), nil, 0o644))
	w.until("created a/y2/z/under its new name")
	outside := t.TempDir()
	must(t, os.Rename(s.in("a/b"), outside+"/b"))
	w.until("removed a/b")
	must(t, os.WriteFile(outside+"/b/unseen", nil, 0o644))
	must(t, os.Symlink(outside, s.in("link")))
	must(t, os.WriteFile(outside+"/unseen", nil, 0o644))
	must(t, os.WriteFile(s.in("last"), nil, 0o644))
	for _, told := range w.until("created last") {
		if strings.Contains(told, "unseen") {
			t.Fatal(told)
		}
	}
}

func TestWatchOfOneFileEndsWithIt(t *testing.T) {
	s := start(t)
	must(t, os.WriteFile(s.in("f"), nil, 0o644))
	w := s.watch("path=f")
	must(t, os.WriteFile(s.in("f"), []byte("x"), 0o644))
	w.until("modified f")
	must(t, os.Remove(s.in("f")))
	w.until("removed f")
	w.until("end")
}

// A reader that takes nothing makes neither boxd nor the sandbox hold more; what it missed it is told of.
func TestWatchTellsWhenChangesWereMissed(t *testing.T) {
	t.Setenv(transport, "") // the kernel keeps more on its way over TCP
	s := start(t)
	w := s.watch("path=.")
	raw, err := os.ReadFile("/proc/sys/fs/inotify/max_queued_events")
	must(t, err)
	queue, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	must(t, err)
	for range queue { // two changes each: the half of them is more than what is on its way to the reader
		must(t, os.WriteFile(s.in("f"), nil, 0o644))
		must(t, os.Remove(s.in("f")))
	}
	for {
		if name, data := w.next(); name == "overflow" {
			if data["reason"] != "queue" {
				t.Fatal(data)
			}
			return
		}
	}
}

func TestWatchLimits(t *testing.T) {
	s := startUnconfigured(t, settings{"limits": settings{"watchers": 2, "watched_folders": 5}})
	s.configure(`{}`)
	for i := range 6 {
		must(t, os.MkdirAll(s.in(fmt.Sprint("many/", i)), 0o755))
	}
	must(t, os.MkdirAll(s.in("few/1/2"), 0o755))
	refused := s.get("/v1/files/watch?path=many&recursive=true")
	wantProblem(t, refused, 429, "WATCH_LIMIT")
	if !strings.Contains(string(refused.body), "limits.watched_folders") {
		t.Fatalf("%s", refused.body)
	}
	w := s.watch("path=few&recursive=true")
	for i := range 5 {
		must(t, os.Mkdir(s.in(fmt.Sprint("few/", i+10)), 0o755))
	}
	w.until("overflow")
	w.close()
	var second *watcher
	eventually(t, "there is room again", func() bool { second = s.tryWatch("path=many/1"); return second != nil })
	eventually(t, "and for another", func() bool { return s.tryWatch("path=many/2") != nil })
	refused = s.get("/v1/files/watch?path=many/3")
	wantProblem(t, refused, 429, "WATCH_LIMIT")
	if !strings.Contains(string(refused.body), "limits.watchers") {
		t.Fatalf("%s", refused.body)
	}
	second.close()
	eventually(t, "a place is free", func() bool { return s.tryWatch("path=many/3") != nil })
}
