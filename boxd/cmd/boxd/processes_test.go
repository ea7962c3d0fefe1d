package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

type managedProcess struct {
	ProcessID string `json:"process_id"`
	State     string
	Pid       *int
	Restarts  int
	ExitCode  *int `json:"exit_code"`
	Signal    *string
	Error     string
	Stdout    struct{ First, Next int64 }
	Stderr    struct{ First, Next int64 }
	EndedAt   *time.Time `json:"ended_at"`
}

func (s *sandbox) manage(request settings) managedProcess {
	s.t.Helper()
	raw, err := json.Marshal(request)
	must(s.t, err)
	got := s.post("/v1/processes", string(raw))
	if got.status != http.StatusCreated {
		s.t.Fatalf("%v: %d %s", request, got.status, got.body)
	}
	return s.processIn(got)
}

func (s *sandbox) processIn(got answer) (p managedProcess) {
	s.t.Helper()
	must(s.t, json.Unmarshal(got.body, &p))
	return p
}

func (s *sandbox) processNamed(id string) managedProcess {
	s.t.Helper()
	return s.processIn(s.get("/v1/processes/" + id))
}

func (s *sandbox) end(id string) answer {
	s.t.Helper()
	return s.do(s.request(http.MethodDelete, "/v1/processes/"+id, ""))
}

func (s *sandbox) awaitState(id, state string) managedProcess {
	s.t.Helper()
	eventually(s.t, id+" is "+state, func() bool { return s.processNamed(id).State == state })
	return s.processNamed(id)
}

func TestProcessIsListedWithItsExit(t *testing.T) {
	s := start(t)
	begun := s.manage(settings{"process_id": "p1", "command": "echo out; echo err >&2; exit 4"})
	if begun.ProcessID != "p1" || begun.State != "running" && begun.State != "finished" {
		t.Fatalf("%+v", begun)
	}
	s.manage(settings{"command": []string{"sleep", "600"}})
	ended := s.awaitState("p1", "finished")
	if *ended.ExitCode != 4 || ended.Signal != nil || ended.EndedAt == nil || ended.Pid != nil || ended.Stdout.Next != 4 {
		t.Fatalf("%+v", ended)
	}
	var list struct{ Items []managedProcess }
	must(t, json.Unmarshal(s.get("/v1/processes").body, &list))
	if len(list.Items) != 2 || list.Items[0].ProcessID != "p1" || !strings.HasPrefix(list.Items[1].ProcessID, "prc_") {
		t.Fatalf("%+v", list)
	}
	if raw := s.get("/v1/processes/p1"); strings.Contains(string(raw.body), "SECRET") {
		t.Fatalf("%s", raw.body)
	}
}

func TestProcessOutputByOffset(t *testing.T) {
	s := start(t)
	s.manage(settings{"process_id": "p", "command": "printf 0123456789; printf oops >&2; sleep 600"})
	eventually(t, "the output is there", func() bool {
		p := s.processNamed("p")
		return p.Stdout.Next == 10 && p.Stderr.Next == 4
	})
	for query, want := range map[string]string{
		"": "0123456789", "?offset=4": "456789", "?offset=10": "", "?stream=stderr": "oops", "?stream=stderr&offset=1": "ops",
	} {
		got := s.get("/v1/processes/p/output" + query)
		if got.status != 200 || string(got.body) != want || got.header.Get("Sandboxer-Gap") != "" || got.header.Get("Content-Type") != "application/octet-stream" {
			t.Errorf("%s: %d %q %v", query, got.status, got.body, got.header)
		}
	}
	if got := s.get("/v1/processes/p/output?offset=4"); got.header.Get("Sandboxer-Offset") != "4" {
		t.Fatal(got.header)
	}
	for _, query := range []string{"offset=11", "offset=-1", "offset=x", "stream=both", "follow=maybe", "what=1"} {
		wantProblem(t, s.get("/v1/processes/p/output?"+query), 400, "VALIDATION")
	}
	wantProblem(t, s.get("/v1/processes/other/output"), 404, "NOT_FOUND")
}

func TestProcessOutputThatIsGoneIsToldWithItsRange(t *testing.T) {
	s := start(t)
	s.manage(settings{"process_id": "p", "command": "head -c 5000 /dev/zero | tr '\\0' x; printf end; sleep 600", "output_buffer_bytes": 1000})
	eventually(t, "the output is there", func() bool { return s.processNamed("p").Stdout.Next == 5003 })
	got := s.get("/v1/processes/p/output?offset=100")
	if got.header.Get("Sandboxer-Gap") != "100-4003" || got.header.Get("Sandboxer-Offset") != "4003" || len(got.body) != 1000 || !strings.HasSuffix(string(got.body), "xend") {
		t.Fatal(got.header, len(got.body))
	}
	w := s.at(t, "/v1/processes/p/attach?stdout_offset=100")
	if ready := w.expect("ready"); fmt.Sprint(ready["offsets"]) != "map[stderr:0 stdout:4003]" {
		t.Fatal(ready)
	}
	if gap := w.expect("gap"); gap["stream"] != "stdout" || gap["from"] != 100.0 || gap["to"] != 4003.0 {
		t.Fatal(gap)
	}
	w.stdoutFrom = 4003
	w.until("xend")
	fresh := s.at(t, "/v1/processes/p/attach", "sandboxer.v1.binary") // without an offset nothing was lost
	fresh.expect("ready")
	fresh.until("xend")
	if fresh.stdout.Len() != 1000 {
		t.Fatal(fresh.stdout.Len())
	}
	w = s.at(t, "/v1/processes/p/attach?stdout_offset=5004")
	if refused := w.expect("error"); refused["code"] != "VALIDATION" {
		t.Fatal(refused)
	}
}

func TestProcessOutputSinceATime(t *testing.T) {
	s := start(t)
	s.manage(settings{"process_id": "p", "command": "echo old; while [ ! -e go ]; do sleep 0.01; done; echo new; sleep 600"})
	eventually(t, "the output is there", func() bool { return s.processNamed("p").Stdout.Next == 4 })
	now := s.at(t, "/v1/processes/p/attach?since_seconds=0")
	if ready := now.expect("ready"); fmt.Sprint(ready["offsets"]) != "map[stderr:0 stdout:4]" {
		t.Fatal(ready)
	}
	must(t, os.WriteFile(s.in("go"), nil, 0o644))
	now.stdoutFrom = 4
	now.until("new")
	for query, want := range map[string]string{"since_seconds=1000": "stdout:0", "since_seconds=99999999999": "stdout:0", "since_seconds=0&stdout_offset=2": "stdout:2"} {
		if ready := s.at(t, "/v1/processes/p/attach?"+query).expect("ready"); !strings.Contains(fmt.Sprint(ready["offsets"]), want) {
			t.Error(query, ready)
		}
	}
	wantProblem(t, s.get("/v1/processes/p/attach?since_seconds=-1"), 400, "VALIDATION")
}

func TestProcessFollowedOutputComesAsItIsWritten(t *testing.T) {
	s := start(t)
	s.manage(settings{"process_id": "p", "command": "echo one; while [ ! -e go ]; do sleep 0.01; done; echo two"})
	request := s.request("GET", "/v1/processes/p/output?follow=true", "")
	request.Header.Set("Authorization", "Bearer "+s.anything())
	response, err := s.client.Do(request)
	must(t, err)
	defer response.Body.Close()
	first := make([]byte, 4)
	_, err = io.ReadFull(response.Body, first)
	must(t, err)
	must(t, os.WriteFile(s.in("go"), nil, 0o644))
	var rest strings.Builder
	_, err = fmt.Fscan(response.Body, (*word)(&rest))
	must(t, err)
	if string(first) != "one\n" || rest.String() != "two" {
		t.Fatalf("%q %q", first, rest.String())
	}
}

// word scans up to the next space.
type word strings.Builder

func (w *word) Scan(state fmt.ScanState, _ rune) error {
	token, err := state.Token(true, nil)
	(*strings.Builder)(w).Write(token)
	return err
}

func TestProcessInputOverHTTP(t *testing.T) {
	s := start(t)
	s.manage(settings{"process_id": "p", "command": []string{"cat"}, "stdin": "open"})
	if got := s.post("/v1/processes/p/stdin", `{"data":"a€"}`); got.status != 204 {
		t.Fatal(got.status, string(got.body))
	}
	s.post("/v1/processes/p/stdin", `{"data":"AAE=","encoding":"base64"}`)
	raw := s.request("POST", "/v1/processes/p/stdin?eof=true", strings.Repeat("z", 300_000))
	raw.Header.Set("Content-Type", "application/octet-stream")
	if got := s.do(raw); got.status != 204 {
		t.Fatal(got.status, string(got.body))
	}
	if ended := s.awaitState("p", "finished"); *ended.ExitCode != 0 {
		t.Fatalf("%+v", ended)
	}
	if got := string(s.get("/v1/processes/p/output").body); got != "a€\x00\x01"+strings.Repeat("z", 300_000) {
		t.Fatal(len(got))
	}
	wantProblem(t, s.post("/v1/processes/p/stdin", `{"data":"x"}`), 409, "INVALID_STATE")
	s.manage(settings{"process_id": "deaf", "command": "readlink /proc/self/fd/0; sleep 600"})
	wantProblem(t, s.post("/v1/processes/deaf/stdin", `{"data":"x"}`), 409, "INVALID_STATE")
	wantProblem(t, s.post("/v1/processes/deaf/stdin", `{"dat":"x"}`), 400, "VALIDATION")
	eventually(t, "it has no input", func() bool { return string(s.get("/v1/processes/deaf/output").body) == "/dev/null\n" })
}

func TestProcessOneWritesAnyNumberRead(t *testing.T) {
	s := start(t)
	s.manage(settings{"process_id": "p", "command": []string{"cat"}, "stdin": "open"})
	writer, reader := s.at(t, "/v1/processes/p/attach"), s.at(t, "/v1/processes/p/attach", "sandboxer.v1.binary")
	writer.expect("ready")
	reader.expect("ready")
	writer.keys("first ")
	writer.until("first ")
	reader.until("first ")
	reader.keys("refused")
	if refused := reader.expect("error"); refused["code"] != "INVALID_STATE" {
		t.Fatal(refused)
	}
	wantProblem(t, s.post("/v1/processes/p/stdin", `{"data":"refused"}`), 409, "INVALID_STATE")
	second := s.at(t, "/v1/processes/p/attach?write=true")
	if refused := second.expect("error"); refused["code"] != "INVALID_STATE" {
		t.Fatal(refused)
	}
	_ = writer.conn.CloseNow()
	eventually(t, "the place of the writer is free", func() bool { return s.post("/v1/processes/p/stdin", `{"data":"second"}`).status == 204 })
	reader.until("first second")
	reader.text(`{"type":"stdin","eof":true}`)
	if exit := reader.untilExit(); exit["exit_code"] != 0.0 || reader.stdout.String() != "first second" {
		t.Fatal(exit, reader.stdout.String())
	}
	late := s.at(t, "/v1/processes/p/attach?stdout_offset=6")
	late.expect("ready")
	late.stdoutFrom = 6
	if exit := late.untilExit(); exit["exit_code"] != 0.0 || late.stdout.String() != "second" {
		t.Fatal(exit, late.stdout.String())
	}
}

// It may be back before boxd has noticed that its last connection was cut.
func TestProcessGivesItsWriterThePlaceBack(t *testing.T) {
	s := start(t)
	s.manage(settings{"process_id": "p", "command": []string{"cat"}, "stdin": "open"})
	cut := s.at(t, "/v1/processes/p/attach?write=true")
	cut.expect("ready")
	back := s.at(t, "/v1/processes/p/attach?write=true")
	_ = cut.conn.CloseNow()
	back.expect("ready")
	back.keys("back")
	back.until("back")
}

func TestProcessOutlivesItsClientsAndBoxdsPlatform(t *testing.T) {
	s := start(t)
	w := s.socketWith(t)
	w.text(`{"type":"start","process_id":"kept","on_disconnect":"keep","command":"echo before; read line; echo after $line; while [ ! -e go ]; do sleep 0.01; done; echo end"}`)
	w.expect("ready")
	w.until("before\n")
	_ = w.conn.CloseNow()
	again := s.at(t, "/v1/processes/kept/attach?stdout_offset=7&write=true")
	again.stdoutFrom = 7
	if ready := again.expect("ready"); ready["process_id"] != "kept" || fmt.Sprint(ready["offsets"]) != "map[stderr:0 stdout:7]" {
		t.Fatal(ready)
	}
	again.keys("the break\n")
	again.until("after the break\n")
	must(t, os.WriteFile(s.in("go"), nil, 0o644))
	if exit := again.untilExit(); exit["exit_code"] != 0.0 || again.stdout.String() != "after the break\nend\n" {
		t.Fatal(exit, again.stdout.String())
	}
}

func TestProcessSameIDIsRefusedOrReplaces(t *testing.T) {
	s := start(t)
	first := s.manage(settings{"process_id": "p", "command": "trap 'echo got it > got; exit' TERM; echo $$ > pid; while :; do sleep 0.01; done"})
	s.pidIn("pid")
	again := `{"process_id":"p","command":["sleep","600"]`
	wantProblem(t, s.post("/v1/processes", again+`}`), 409, "INVALID_STATE")
	w := s.socketWith(t)
	w.text(`{"type":"start","process_id":"p","on_disconnect":"keep","command":"true"}`)
	if refused := w.expect("error"); refused["code"] != "INVALID_STATE" {
		t.Fatal(refused)
	}
	got := s.post("/v1/processes", again+`,"replace":true}`)
	if got.status != 201 || !exists(s.in("got")) || alive(*first.Pid) || *s.processIn(got).Pid == *first.Pid {
		t.Fatal(got.status, string(got.body))
	}
	s.end("p")
	if fresh := s.manage(settings{"process_id": "p", "command": "echo fresh; sleep 600"}); fresh.State != "running" {
		t.Fatalf("a finished one stands in nobody's way: %+v", fresh)
	}
}

func TestProcessDeleteEndsTheWholeTree(t *testing.T) {
	for name, line := range escapes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			s.sh("setsid sh -c 'echo $$ > other; exec sleep 600' >/dev/null 2>&1 &")
			other := s.pidIn("other")
			s.manage(settings{"process_id": "p", "command": []string{"sh", "-c", line}, "restart": "always"})
			pid := s.pidIn("pid")
			got := s.end("p")
			if ended := s.processIn(got); got.status != 200 || ended.State != "finished" || ended.Signal == nil && ended.ExitCode == nil {
				t.Fatalf("%d %s", got.status, got.body)
			}
			if alive(pid) || !alive(other) {
				t.Fatal(alive(pid), alive(other))
			}
			if got := s.end("p"); got.status != 200 {
				t.Fatal(got.status)
			}
			wantProblem(t, s.end("p"), 404, "NOT_FOUND")
		})
	}
}

func TestProcessDeleteAsksFirst(t *testing.T) {
	s := start(t)
	s.manage(settings{"process_id": "p", "command": "trap 'echo bye; exit 9' TERM; echo $$ > pid; while :; do sleep 0.01; done"})
	s.pidIn("pid")
	if ended := s.processIn(s.end("p")); ended.ExitCode == nil || *ended.ExitCode != 9 {
		t.Fatalf("%+v", ended)
	}
	if got := string(s.get("/v1/processes/p/output").body); got != "bye\n" {
		t.Fatal(got)
	}
}

func TestProcessSignal(t *testing.T) {
	s := start(t)
	s.manage(settings{"process_id": "p", "command": []string{"sleep", "600"}})
	wantProblem(t, s.post("/v1/processes/p/signal", `{"name":"NONSENSE"}`), 400, "VALIDATION")
	if got := s.post("/v1/processes/p/signal", `{"name":"USR1"}`); got.status != 204 {
		t.Fatal(got.status)
	}
	if ended := s.awaitState("p", "finished"); *ended.Signal != "SIGUSR1" {
		t.Fatalf("%+v", ended)
	}
	wantProblem(t, s.post("/v1/processes/p/signal", `{"name":"USR1"}`), 409, "INVALID_STATE")
}

func TestProcessRestartPolicies(t *testing.T) {
	s := start(t)
	s.manage(settings{"process_id": "failing", "restart": "on-failure", "command": "echo x >> runs; test $(wc -l < runs) -ge 3"})
	s.manage(settings{"process_id": "never", "command": "exit 1"})
	s.manage(settings{"process_id": "fine", "restart": "on-failure", "command": "true"})
	s.manage(settings{"process_id": "always", "restart": "always", "command": "echo run; while [ ! -e go ]; do sleep 0.01; done"})
	w := s.at(t, "/v1/processes/always/attach")
	pids := []float64{w.expect("ready")["pid"].(float64)}
	must(t, os.WriteFile(s.in("go"), nil, 0o644)) // not before: it would be between two runs
	for range 2 {
		if exit := w.next(); exit["type"] != "exit" || exit["restarting"] != true {
			t.Fatal(exit)
		}
		ready := w.expect("ready")
		if ready["restarts"].(float64) < 1 || slices.Contains(pids, ready["pid"].(float64)) {
			t.Fatal(ready, pids)
		}
		pids = append(pids, ready["pid"].(float64))
	}
	w.until("run\nrun\nrun\n")
	ended := s.awaitState("failing", "finished")
	if *ended.ExitCode != 0 || ended.Restarts != 2 || s.processNamed("never").Restarts != 0 || s.processNamed("fine").Restarts != 0 {
		t.Fatalf("%+v", ended)
	}
	s.end("always")
	if exit := w.untilLastExit(); exit["restarting"] == true {
		t.Fatal(exit)
	}
}

func (w *socketClient) untilLastExit() map[string]any {
	w.t.Helper()
	for {
		if frame := w.untilExit(); frame["restarting"] != true {
			return frame
		}
	}
}

func TestProcessThatCannotStartAgainSaysWhyAndGoesOnTrying(t *testing.T) {
	s := start(t)
	must(t, os.WriteFile(s.in("program"), []byte("#!/bin/sh\nrm program\n"), 0o755))
	s.manage(settings{"process_id": "p", "restart": "always", "command": []string{"./program"}})
	eventually(t, "it says why", func() bool { return strings.Contains(s.processNamed("p").Error, "program") })
	must(t, os.WriteFile(s.in("program"), []byte("#!/bin/sh\necho back; sleep 600\n"), 0o755))
	s.awaitState("p", "running")
	if got := s.processNamed("p"); got.Error != "" {
		t.Fatalf("%+v", got)
	}
}

func TestProcessWithATerminal(t *testing.T) {
	s := start(t)
	s.manage(settings{"process_id": "p", "command": []string{"sh"}, "tty": settings{"cols": 70, "rows": 20}, "env": settings{"PS1": "$ "}})
	w := s.at(t, "/v1/processes/p/attach")
	w.expect("ready")
	w.keys("stty size\n")
	w.until("20 70\r\n")
	w.text(`{"type":"resize","cols":71,"rows":21}`)
	w.keys("stty size\n")
	w.until("21 71\r\n")
	w.keys("exit 3\n")
	if exit := w.untilExit(); exit["exit_code"] != 3.0 {
		t.Fatal(exit)
	}
}

func TestProcessRefusals(t *testing.T) {
	s := startUnconfigured(t, settings{"limits": settings{"processes": 2, "process_buffer_bytes": 4096}})
	s.configure(`{}`)
	for _, body := range []string{
		`{}`, `{"command":"true","process_id":"a b"}`, `{"command":"true","restart":"sometimes"}`, `{"command":"true","stdin":"yes"}`,
		`{"command":"true","output_buffer_bytes":0}`, `{"command":"true","output_buffer_bytes":4097}`, `{"command":"true","tty":{"cols":0,"rows":1}}`,
		`{"command":["no-such-program"]}`, `{"command":"true","what":1}`,
	} {
		wantProblem(t, s.post("/v1/processes", body), 400, "VALIDATION")
	}
	s.manage(settings{"command": []string{"sleep", "600"}})
	s.manage(settings{"command": []string{"sleep", "600"}})
	refused := s.post("/v1/processes", `{"command":"true"}`)
	wantProblem(t, refused, 429, "PROCESS_LIMIT")
	if !strings.Contains(string(refused.body), "limits.processes") {
		t.Fatalf("%s", refused.body)
	}
	request := s.request("GET", "/v1/processes", "")
	request.Header.Set("Authorization", "Bearer "+s.token("exec shell"))
	wantProblem(t, s.do(request), 403, "CAPABILITY_DENIED")
}

func TestProcessBuffersShareTheirMemory(t *testing.T) {
	s := startUnconfigured(t, settings{"limits": settings{"output_memory_bytes": 200_000, "process_buffer_bytes": 1 << 20}})
	s.configure(`{}`)
	for i := range 4 {
		s.manage(settings{"process_id": fmt.Sprint("p", i), "command": "head -c 1000000 /dev/zero; sleep 600"})
	}
	kept := int64(0)
	for i := range 4 {
		id := fmt.Sprint("p", i)
		eventually(t, "its output was taken", func() bool { return s.processNamed(id).Stdout.Next == 1_000_000 })
		p := s.processNamed(id)
		if p.Stdout.Next-p.Stdout.First < 8<<10 {
			t.Fatalf("it keeps nothing: %+v", p)
		}
		kept += p.Stdout.Next - p.Stdout.First
	}
	if kept > 200_000+4*8<<10 {
		t.Fatalf("%d bytes are kept", kept)
	}
	for i := range 4 {
		s.end(fmt.Sprint("p", i))
		s.end(fmt.Sprint("p", i)) // off the list, and its memory is free
	}
	s.manage(settings{"process_id": "last", "command": "head -c 1000000 /dev/zero; sleep 600"})
	eventually(t, "the memory came back", func() bool {
		p := s.processNamed("last")
		return p.Stdout.Next-p.Stdout.First >= 100_000
	})
}
