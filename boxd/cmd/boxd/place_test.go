package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/coder/websocket"
)

func TestMetricsAreShownToAnyToken(t *testing.T) {
	s := start(t)
	request := s.request("GET", "/v1/metrics", "")
	request.Header.Set("Authorization", "Bearer "+s.token("port"))
	got := s.do(request)
	var metrics map[string]any
	must(t, json.Unmarshal(got.body, &metrics))
	if got.status != 200 || metrics["disk_limit_bytes"].(float64) < metrics["disk_used_bytes"].(float64) || metrics["source"] == "" {
		t.Fatalf("%d %s", got.status, got.body)
	}
	for _, name := range []string{"cpu_seconds", "memory_bytes", "memory_peak_bytes", "memory_limit_bytes", "processes", "processes_limit", "oom_kills"} {
		if _, there := metrics[name]; !there {
			t.Errorf("%s is left out; what is not known is null", name)
		}
	}
	request.Header.Set("Authorization", "Bearer x")
	wantProblem(t, s.do(request), 401, "UNAUTHENTICATED")
}

// startInEmptyImage runs boxd where there is nothing but itself and its configuration: no shell, no /dev, no /proc, no /tmp.
func startInEmptyImage(t *testing.T) *sandbox {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Fatal("an empty image needs root for chroot")
	}
	program, err := realBoxd()
	must(t, err)
	s := prepare(t)
	s.via = ""
	root := filepath.Dir(s.socket)
	raw, err := os.ReadFile(program)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(root, "boxd"), raw, 0o755))
	s.command.Path = "/boxd"
	s.command.Args = []string{"boxd", "serve", "--config", "/config.json", "--listen", "unix:/s"}
	s.command.Dir = "/"
	s.command.SysProcAttr = &syscall.SysProcAttr{Chroot: root}
	s.launch(settings{"workspace": "/w", "home": "/w"})
	s.configure(`{}`)
	return s
}

func TestEmptyImage(t *testing.T) {
	s := startInEmptyImage(t)
	refused := s.post("/v1/exec", `{"command":"echo hi"}`)
	wantProblem(t, refused, 400, "VALIDATION")
	if !strings.Contains(string(refused.body), "no /bin/sh") {
		t.Fatalf("%s", refused.body)
	}
	if got := s.exec(settings{"command": []string{"/boxd", "version"}}); !strings.HasPrefix(got.Stdout, "boxd ") {
		t.Fatalf("%+v", got)
	}
	w := s.at(t, "/v1/shell/ws")
	w.text(`{"type":"start"}`)
	if refused := w.expect("error"); refused["code"] != "UNSUPPORTED" || !strings.Contains(refused["message"].(string), "/dev/ptmx") {
		t.Fatal(refused)
	}
	s.manage(settings{"process_id": "p", "command": []string{"/boxd", "version"}, "stdin": "open"})
	s.awaitState("p", "finished")
	if got := s.get("/v1/processes/p/output"); !strings.HasPrefix(string(got.body), "boxd ") {
		t.Fatalf("%s", got.body)
	}
	if got := s.upload("path=a/b&parents=true", "content"); got.status != 201 {
		t.Fatal(got.status)
	}
	if got := s.download("path=a/b"); string(got.body) != "content" {
		t.Fatal(got.status)
	}
	if back := untar(t, s.download("path=/w&archive=tar").body); back["a/b"].body != "content" {
		t.Fatal(back)
	}
	if got := s.get("/v1/ports"); string(got.body) != `{"items":[]}` {
		t.Fatalf("%s", got.body)
	}
	if got := s.get("/v1/metrics"); got.status != 200 {
		t.Fatal(got.status)
	}
	if got, _ := s.search("pattern=b"); len(got) != 1 {
		t.Fatal(got)
	}
	watch := s.watch("path=/w")
	s.upload("path=seen", "x")
	watch.until("created /w/seen")
}

// A full file system of its own: the old file stays, and every way of writing says 507.
func TestFullFileSystem(t *testing.T) {
	s := start(t)
	small := s.in("small")
	must(t, os.Mkdir(small, 0o755))
	if err := syscall.Mount("tmpfs", small, "tmpfs", 0, "size=64k,nr_inodes=20"); err != nil {
		t.Fatal("a small file system needs root to mount it: ", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(small, syscall.MNT_DETACH) })
	if got := s.upload("path=small/f", strings.Repeat("o", 40_000)); got.status != 201 {
		t.Fatal(got.status)
	}
	more := strings.Repeat("n", 40_000)
	wantProblem(t, s.upload("path=small/f", more), 507, "STORAGE_FULL")
	wantProblem(t, s.upload("path=small&extract=tar", tarOf(t, tarEntry{name: "f", body: more})), 507, "STORAGE_FULL")
	body, kind := multipartOf(t, "f", more)
	wantProblem(t, s.upload("path=small", body, "Content-Type", kind), 507, "STORAGE_FULL")
	s.upload("path=big", more)
	wantProblem(t, s.post("/v1/files/move", `{"from":"big","to":"small/f","overwrite":true}`), 507, "STORAGE_FULL")
	if s.content("small/f") != strings.Repeat("o", 40_000) || len(s.leftovers()) != 0 || s.content("big") != more {
		t.Fatal("the old file is gone, or a part of the new one is left", s.leftovers())
	}
	for i := 0; ; i++ {
		got := s.post("/v1/files/mkdir", `{"path":"small/`+strings.Repeat("d", i+1)+`"}`)
		if got.status == 201 && i < 50 {
			continue
		}
		wantProblem(t, got, 507, "STORAGE_FULL")
		break
	}
}

// A terminal, a watch, a port and a tree's end behind the filter that boxd puts on itself.
func TestEverythingWorksBehindTheFilter(t *testing.T) {
	s := startReal(t, nil)
	w := s.shellWith(t, `,"command":["sh"],"tty":{"cols":33,"rows":22}`)
	w.keys("stty size; grep Seccomp: /proc/self/status\n")
	w.until("22 33\r\nSeccomp:\t2\r\n")
	watch := s.watch("path=.&recursive=true")
	s.post("/v1/files/mkdir", `{"path":"a"}`)
	watch.until("created a")
	s.upload("path=a/f", "x")
	watch.until("created a/f")
	if moved := s.post("/v1/files/move", `{"from":"a/f","to":"g"}`); moved.status != 200 {
		t.Fatalf("%d %s", moved.status, moved.body)
	}
	port := inside(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "here") })
	if got := s.get("/v1/ports/" + strconv.Itoa(port) + "/"); string(got.body) != "here" {
		t.Fatal(got.status)
	}
	s.manage(settings{"process_id": "p", "command": escapes["daemon"]})
	pid := s.pidIn("pid")
	s.end("p")
	if alive(pid) {
		t.Fatal("what left the process lives")
	}
	_ = w.conn.Close(websocket.StatusNormalClosure, "")
}
