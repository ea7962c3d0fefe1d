package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"
)

func frameOf(t *testing.T, raw []byte) map[string]any {
	t.Helper()
	var frame map[string]any
	if err := json.Unmarshal(raw, &frame); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return frame
}

func lines(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") }

// alive says whether a process is there and no zombie.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !bytes.Contains(stat, []byte(") Z "))
}

func (s *sandbox) pidIn(name string) int {
	s.t.Helper()
	var pid int
	eventually(s.t, name+" holds a pid", func() bool {
		raw, err := os.ReadFile(s.in(name))
		pid, _ = strconv.Atoi(strings.TrimSpace(string(raw)))
		return err == nil && pid > 0 && bytes.HasSuffix(raw, []byte("\n"))
	})
	return pid
}

func TestExecAnswersWithExitAndStreams(t *testing.T) {
	s := start(t)
	reply := s.exec(settings{"command": []string{"sh", "-c", "echo out; echo err >&2; exit 7"}})
	if *reply.ExitCode != 7 || reply.Signal != nil || reply.Stdout != "out\n" || reply.Stderr != "err\n" ||
		reply.StdoutEncoding != "utf-8" || reply.StderrEncoding != "utf-8" || reply.TimedOut || reply.DurationMS == nil {
		t.Fatalf("%+v", reply)
	}
	killed := s.sh("kill -9 $$")
	if killed.ExitCode != nil || *killed.Signal != "SIGKILL" || killed.TimedOut {
		t.Fatalf("%+v", killed)
	}
}

func TestExecEnvironmentIsTheImagesThenWhatWasGiven(t *testing.T) {
	s := startUnconfigured(t, nil)
	s.configure(`{"env":{"A":"configured","B":"configured"}}`)
	got := lines(s.exec(settings{"command": []string{"env"}, "env": settings{"B": "asked", "C": "1 2"}}).Stdout)
	slices.Sort(got)
	want := append([]string{"A=configured", "B=asked", "C=1 2", "HOME=" + s.workspace, "LANG=C.UTF-8", "TMPDIR=/tmp"}, s.command.Env...)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Fatal(got)
	}
	s.configure(`{"env":{"D":"later"}}`)
	if got := s.sh("echo $A$D").Stdout; got != "later\n" {
		t.Fatalf("the last configure wins, got %q", got)
	}
}

func TestExecFolderAndStdin(t *testing.T) {
	s := start(t)
	must(t, os.Mkdir(s.in("sub"), 0o755))
	for _, c := range []struct {
		request settings
		want    string
	}{
		{settings{"command": "pwd"}, s.workspace + "\n"},
		{settings{"command": "pwd", "cwd": "sub"}, s.in("sub") + "\n"},
		{settings{"command": "pwd", "cwd": "/"}, "/\n"},
		{settings{"command": []string{"cat"}}, ""},
		{settings{"command": []string{"cat"}, "stdin": ""}, ""},
		{settings{"command": []string{"cat"}, "stdin": "héllo"}, "héllo"},
		{settings{"command": []string{"cat"}, "stdin": "aGk=", "stdin_encoding": "base64"}, "hi"},
		{settings{"command": []string{"cat"}, "stdin": strings.Repeat("x", 500_000)}, strings.Repeat("x", 500_000)},
		{settings{"command": []string{"true"}, "stdin": strings.Repeat("x", 500_000)}, ""},
		{settings{"command": "readlink /proc/self/fd/0"}, "/dev/null\n"},
		{settings{"command": "ls /proc/self/fd | tr -d '\n'"}, "0123"},
		{settings{"command": []string{"sh", "-c", "echo $0 $1", "a b", "c"}}, "a b c\n"},
	} {
		if got := s.exec(c.request); got.Stdout != c.want || *got.ExitCode != 0 {
			t.Errorf("%.100v: %.200q %q", c.request, got.Stdout, got.Stderr)
		}
	}
}

func TestExecOutputThatIsNoText(t *testing.T) {
	s := start(t)
	reply := s.sh(`printf 'a\377b'; printf 'text' >&2`)
	raw, err := base64.StdEncoding.DecodeString(reply.Stdout)
	if reply.StdoutEncoding != "base64" || err != nil || string(raw) != "a\xffb" || reply.StderrEncoding != "utf-8" {
		t.Fatalf("%+v", reply)
	}
}

func TestExecOutputLimit(t *testing.T) {
	s := start(t)
	reply := s.exec(settings{"command": "printf 'ab€€'; head -c 5000000 /dev/zero >&2; echo late", "output_limit_bytes": 6})
	if !reply.StdoutTruncated || !reply.StderrTruncated || reply.Stdout != "ab€" || len(reply.Stderr) != 6 || *reply.ExitCode != 0 {
		t.Fatalf("%+v", reply)
	}
	if whole := s.exec(settings{"command": "printf abcdef", "output_limit_bytes": 6}); whole.StdoutTruncated || whole.Stdout != "abcdef" {
		t.Fatalf("%+v", whole)
	}
	if big := s.sh("head -c 11000000 /dev/zero | tr '\\0' x"); !big.StdoutTruncated || len(big.Stdout) != 10<<20 {
		t.Fatal(len(big.Stdout), big.StdoutTruncated)
	}
}

func TestExecRefusesBadRequests(t *testing.T) {
	s := start(t)
	must(t, os.WriteFile(s.in("plain"), []byte("x"), 0o644))
	must(t, os.WriteFile(s.in("garbage"), []byte("\x00\x01\x02"), 0o755))
	must(t, os.WriteFile(s.in("orphan"), []byte("#!/no/such/interpreter\n"), 0o755))
	for body, names := range map[string]string{
		``: "empty", `{`: "early", `[]`: "must be", `null`: "object", `{}`: "command is missing", `{"command":"true"} x`: "follows",
		`{"command":null}`: "missing", `{"command":[]}`: "no program", `{"command":[""]}`: "no program", `{"command":[1]}`: "array of strings",
		`{"command":7}`: "array of strings", `{"command":{"a":1}}`: "array of strings", `{"command":["a\u0000b"]}`: "NUL", "{\"command\":\"\xff\"}": "UTF-8",
		`{"command":"true","cdw":"/"}`: "cdw", `{"command":"true","cwd":7}`: "cwd", `{"command":"true","cwd":"missing"}`: "missing", `{"command":"true","cwd":"plain"}`: "plain",
		`{"command":"true","env":{"A=B":"1"}}`: "A=B", `{"command":"true","env":{"":"1"}}`: "env", `{"command":"true","env":{"A":"\u0000"}}`: "NUL", `{"command":"true","env":{"A":1}}`: "env",
		`{"command":"true","timeout_ms":0}`: "timeout_ms", `{"command":"true","timeout_ms":-1}`: "timeout_ms", `{"command":"true","timeout_ms":1e99}`: "timeout_ms", `{"command":"true","timeout_ms":"1"}`: "timeout_ms",
		`{"command":"true","output_limit_bytes":-1}`: "output_limit_bytes", `{"command":"true","output_limit_bytes":10485761}`: "output_limit_bytes",
		`{"command":"true","stdin":"x","stdin_encoding":"hex"}`: "hex", `{"command":"true","stdin":"*","stdin_encoding":"base64"}`: "base64", `{"command":"true","stdin_encoding":"base64"}`: "no stdin",
		`{"command":["no-such-program"]}`: "no-such-program", `{"command":["/no/such/program"]}`: "/no/such/program", `{"command":["./plain"]}`: "execute permission",
		`{"command":["./garbage"]}`: "architecture", `{"command":["./orphan"]}`: "interpreter", `{"command":["/"]}`: "execute permission", `{"command":["plain/x"]}`: "not found",
		`{"command":["true"],"env":{"PATH":"/nowhere"}}`: "/nowhere", `{"command":"` + strings.Repeat("x", 200_000) + `"}`: "longer than",
	} {
		got := s.post("/v1/exec", body)
		wantProblem(t, got, http.StatusBadRequest, "VALIDATION")
		if !strings.Contains(string(got.body), names) {
			t.Errorf("%.80s: %s does not say %q", body, got.body, names)
		}
	}
	wantProblem(t, s.post("/v1/exec", `{"command":"`+strings.Repeat("x", 1<<20)+`"}`), http.StatusRequestEntityTooLarge, "TOO_LARGE")
	request := s.request("POST", "/v1/exec", `{"command":"true"}`)
	request.Header.Set("Content-Type", "text/plain")
	wantProblem(t, s.do(request), http.StatusUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE")
	if got := s.sh("echo fine"); got.Stdout != "fine\n" {
		t.Fatal("boxd does not work any more")
	}
}

func TestBackgroundJobHoldsNobodyUpAndGoesOn(t *testing.T) {
	s := start(t)
	reply := s.sh("(echo $BASHPID; sleep 600) & echo $! > job; echo hi")
	pid := s.pidIn("job")
	if reply.TimedOut || *reply.ExitCode != 0 || !strings.Contains(reply.Stdout, "hi\n") || !alive(pid) {
		t.Fatalf("%+v %v", reply, alive(pid))
	}
	reply = s.sh("(while :; do echo x || exit; sleep 0.001; echo $$ > beat; done) & echo $! > job2")
	writer := s.pidIn("job2")
	for range 3 {
		must(t, os.RemoveAll(s.in("beat")))
		eventually(t, "the job still writes to the pipe that nobody reads", func() bool { return exists(s.in("beat")) })
	}
	if !alive(writer) {
		t.Fatal("the job died")
	}
}

func TestOutputOfASubstitutedProcessIsWhole(t *testing.T) {
	s := start(t)
	if got := s.exec(settings{"command": []string{"bash", "-c", "seq 1 2000 > >(cat)"}}); len(lines(got.Stdout)) != 2000 {
		t.Fatalf("%d lines", len(lines(got.Stdout)))
	}
	busy := "true > >(for ((i = 0; i < 20000; i++)); do :; done; echo late)"
	if got := s.exec(settings{"command": []string{"bash", "-c", busy}}); got.Stdout != "late\n" {
		t.Fatalf("what was still at work is not awaited: %+v", got)
	}
}

func TestManyCommandsAtOnceGetTheirOwnExit(t *testing.T) {
	s := start(t)
	wrong := make(chan string, 400)
	slots := make(chan struct{}, 40)
	for i := range 400 {
		slots <- struct{}{}
		go func() {
			defer func() { <-slots }()
			reply := s.exec(settings{"command": fmt.Sprintf("(true &); echo %d; exit %d", i, i%200)})
			if *reply.ExitCode != i%200 || reply.Stdout != fmt.Sprintf("%d\n", i) {
				wrong <- fmt.Sprintf("%d: %+v", i, reply)
			}
		}()
	}
	for range cap(slots) {
		slots <- struct{}{}
	}
	close(wrong)
	for w := range wrong {
		t.Error(w)
	}
}

func TestCommandsBeyondTheLimitAreRefused(t *testing.T) {
	s := startUnconfigured(t, settings{"limits": settings{"processes": 1}})
	s.configure(`{}`)
	w := s.socketWith(t)
	w.text(`{"type":"start","command":["sleep","600"]}`)
	w.expect("ready")
	wantProblem(t, s.post("/v1/exec", `{"command":"true"}`), http.StatusTooManyRequests, "PROCESS_LIMIT")
	w.text(`{"type":"signal","name":"KILL"}`)
	w.untilExit()
	if got := s.sh("echo free"); got.Stdout != "free\n" {
		t.Fatalf("%+v", got)
	}
}

func TestClientThatGoesAwayEndsItsGroupOnly(t *testing.T) {
	s := start(t)
	s.sh("setsid sh -c 'echo $$ > other; exec sleep 600' >/dev/null 2>&1 &")
	ctx, leave := context.WithCancel(t.Context())
	request := s.request("POST", "/v1/exec", `{"command":"sleep 600 & echo $! > pid; wait"}`).WithContext(ctx)
	request.Header.Set("Authorization", "Bearer "+s.anything())
	go func() { _, _ = s.client.Do(request) }()
	pid := s.pidIn("pid")
	leave()
	eventually(t, "the group is gone", func() bool { return !alive(pid) })
	if !alive(s.pidIn("other")) {
		t.Fatal("another command's process was killed")
	}
}

func TestNDJSONStreamsFrames(t *testing.T) {
	s := start(t)
	request := s.request("POST", "/v1/exec", `{"command":"echo one; while [ ! -e go ]; do sleep 0.01; done; printf '\\342\\202'; sleep 0.1; printf '\\254\\377'; exit 3"}`)
	request.Header.Set("Accept", "application/x-ndjson")
	request.Header.Set("Authorization", "Bearer "+s.anything())
	response, err := s.client.Do(request)
	must(t, err)
	defer response.Body.Close()
	if response.Header.Get("Content-Type") != "application/x-ndjson" {
		t.Fatal(response.Header)
	}
	w := &socketClient{t: t}
	var last map[string]any
	for scanner := bufio.NewScanner(response.Body); scanner.Scan(); {
		last = frameOf(t, scanner.Bytes())
		if !utf8.Valid(scanner.Bytes()) {
			t.Fatalf("%q", scanner.Bytes())
		}
		if w.collect(last) && w.stdout.String() == "one\n" {
			must(t, os.WriteFile(s.in("go"), nil, 0o644)) // so the first line came while the command ran
		}
	}
	if w.stdout.String() != "one\n€\xff" || last["type"] != "exit" || last["exit_code"] != 3.0 || last["timed_out"] != false {
		t.Fatalf("%q %v", w.stdout.String(), last)
	}
}

func TestExecWhileNoProgramMayStart(t *testing.T) {
	s := start(t)
	setLimit(t, s.command.Process.Pid, syscall.RLIMIT_NOFILE, syscall.Rlimit{Cur: 10, Max: 1024})
	got := s.post("/v1/exec", `{"command":"true"}`)
	wantProblem(t, got, http.StatusTooManyRequests, "QUOTA_EXCEEDED")
	setLimit(t, s.command.Process.Pid, syscall.RLIMIT_NOFILE, syscall.Rlimit{Cur: 1024, Max: 1024})
	if got := s.sh("echo back"); got.Stdout != "back\n" {
		t.Fatalf("%+v", got)
	}
}
