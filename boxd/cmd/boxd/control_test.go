package main

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

func (s *sandbox) tokenWith(scope string, change jwt.MapClaims) string {
	claims := s.claims(scope)
	for name, value := range change {
		claims[name] = value
	}
	return s.sign(claims)
}

func (s *sandbox) statusWith(token string) int {
	return s.withAuthorization("Bearer " + token).status
}

func TestConfigureBringsFilesAndLimits(t *testing.T) {
	s := startUnconfigured(t, nil)
	s.configure(`{"env":{"A":"1"},"files":[{"path":"secrets/key","content":"c2VjcmV0"},{"path":"` + s.in("other") + `","content":"","mode":"0644"}],"limits":{"processes":1,"exec_output_bytes":5}}`)
	info, err := os.Stat(s.in("secrets/key"))
	must(t, err)
	if info.Mode() != 0o400 || s.content("secrets/key") != "secret" || s.content("other") != "" {
		t.Fatal(info.Mode())
	}
	if got := s.sh("echo 123456789"); got.Stdout != "12345" || !got.StdoutTruncated {
		t.Fatalf("%+v", got)
	}
	s.manage(settings{"process_id": "only", "command": []string{"sleep", "600"}})
	wantProblem(t, s.post("/v1/exec", `{"command":"true"}`), 429, "PROCESS_LIMIT")
	s.configure(`{"limits":{"processes":2}}`)
	if got := s.sh("echo 123456789"); got.Stdout != "12345" {
		t.Fatalf("a limit that is not named stays: %+v", got)
	}
	for _, body := range []string{
		`{"files":[{"path":"x","content":"*"}]}`, `{"files":[{"content":""}]}`, `{"files":[{"path":"x","content":"","mode":"4755"}]}`, `{"files":[{"path":"x","what":1}]}`,
		`{"limits":{"processes":0}}`, `{"limits":{"nothing":1}}`, `{"limits":[]}`, `{"identity":{}}`, `{"identity":{"sandbox_id":"x","generation":1}}`, `{"identity":{"sandbox_id":"` + sandboxID + `","generation":0}}`,
	} {
		wantProblem(t, s.post("/v1/control/configure", body), 400, "VALIDATION")
	}
	if exists(s.in("x")) {
		t.Fatal("a refused configure wrote a file")
	}
}

func TestIdentityMayComeLate(t *testing.T) {
	s := startUnconfigured(t, nil)
	before := s.anything()
	s.configure(`{"identity":{"sandbox_id":"sb_latecomer","generation":7}}`)
	if got := s.get("/v1/health"); fieldOf(t, got.body, "sandbox_id") != "sb_latecomer" || fieldOf(t, got.body, "generation") != 7.0 {
		t.Fatalf("%s", got.body)
	}
	if got := s.statusWith(before); got != http.StatusUnauthorized {
		t.Fatal("a token of the pooled sandbox still counts", got)
	}
	if got := s.statusWith(s.tokenWith("fs_read", jwt.MapClaims{"aud": "urn:sandboxer:boxd:sb_latecomer", "gen": 7})); got != http.StatusOK {
		t.Fatal(got)
	}
}

func (s *sandbox) revoke(t *testing.T, body string) float64 {
	t.Helper()
	request := s.request("POST", "/v1/control/revoke", body)
	request.Header.Set("Authorization", "Bearer "+s.tokenWith("admin", jwt.MapClaims{"epoch": 1000}))
	got := s.do(request)
	if got.status != http.StatusOK {
		t.Fatalf("%d %s", got.status, got.body)
	}
	return fieldOf(t, got.body, "cut").(float64)
}

func TestRevokedTokensAndWhatTheyOpenedEnd(t *testing.T) {
	s := start(t)
	old, later := s.tokenWith("fs_read exec", jwt.MapClaims{"epoch": 4}), s.tokenWith("fs_read", jwt.MapClaims{"epoch": 5})
	header := func(epoch int) http.Header {
		return http.Header{"Authorization": {"Bearer " + s.tokenWith("exec fs_read", jwt.MapClaims{"epoch": epoch})}}
	}
	cut, stays := &socketClient{t: t, conn: s.connect(header(4))}, &socketClient{t: t, conn: s.connect(header(5))}
	renewed := &socketClient{t: t, conn: s.connect(header(4))}
	for _, w := range []*socketClient{cut, stays, renewed} {
		w.text(`{"type":"start","command":["cat"]}`)
		w.expect("ready")
	}
	cutPid := int(cut.frames[0]["pid"].(float64))
	renewed.text(`{"type":"auth","token":"` + s.tokenWith("exec", jwt.MapClaims{"epoch": 6}) + `"}`)
	renewed.expect("auth_ok")
	request := s.request("GET", "/v1/files/watch?path=.", "")
	request.Header = header(4)
	watching, err := s.client.Do(request)
	must(t, err)
	defer watching.Body.Close()
	for _, token := range []string{old, later} {
		if got := s.statusWith(token); got != 200 {
			t.Fatal(got)
		}
	}
	if got := s.revoke(t, `{"scope":"sandbox","id":"`+sandboxID+`","min_epoch":5}`); got != 2 {
		t.Fatal(got, "calls were cut")
	}
	if s.statusWith(old) != 401 || s.statusWith(later) != 200 {
		t.Fatal("the wrong tokens count", s.statusWith(old), s.statusWith(later))
	}
	cut.untilClosed()
	eventually(t, "its command is gone", func() bool { return !alive(cutPid) })
	for lines := bufio.NewScanner(watching.Body); lines.Scan(); {
	}
	for _, w := range []*socketClient{stays, renewed} {
		w.text(`{"type":"stdin","data":"still here","eof":true}`)
		if w.untilExit(); w.stdout.String() != "still here" {
			t.Fatal(w.stdout.String())
		}
	}
	s.revoke(t, `{"scope":"all","min_epoch":2}`)
	if s.statusWith(old) != 401 {
		t.Fatal("a minimum went down")
	}
}

func TestRevokingASessionEndsOnlyItsOwn(t *testing.T) {
	s := start(t)
	mine := s.tokenWith("fs_read", jwt.MapClaims{"epoch": 1, "sid": "ssn_mine"})
	other := s.tokenWith("fs_read", jwt.MapClaims{"epoch": 1, "sid": "ssn_other"})
	s.revoke(t, `{"scope":"session","id":"ssn_mine","min_epoch":2}`)
	if s.statusWith(mine) != 401 || s.statusWith(other) != 200 || s.statusWith(s.tokenWith("fs_read", jwt.MapClaims{"epoch": 2, "sid": "ssn_mine"})) != 200 {
		t.Fatal(s.statusWith(mine), s.statusWith(other))
	}
	for _, body := range []string{`{}`, `{"scope":"session","min_epoch":1}`, `{"scope":"planet","min_epoch":1}`, `{"scope":"all"}`, `{"scope":"all","min_epoch":-1}`, `{"scope":"all","min_epoch":"1"}`} {
		wantProblem(t, s.post("/v1/control/revoke", body), 400, "VALIDATION")
	}
}

func TestKeysAreReplaced(t *testing.T) {
	s := start(t)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	next := &sandbox{t: t, key: key}
	var config struct {
		Keys struct{ Keys []json.RawMessage }
	}
	must(t, json.Unmarshal(next.config(nil), &config))
	for _, body := range []string{`{}`, `{"keys":[]}`, `{"keys":[{"kty":"EC"}]}`, `{"keys":[7]}`} {
		wantProblem(t, s.post("/v1/control/keys", body), 400, "VALIDATION")
	}
	old := s.anything()
	if s.statusWith(old) != 200 || s.statusWith(next.anything()) != 401 {
		t.Fatal("the present keys do not count any more")
	}
	if got := s.post("/v1/control/keys", `{"keys":[`+string(config.Keys.Keys[0])+`]}`); got.status != 204 {
		t.Fatalf("%d %s", got.status, got.body)
	}
	if s.statusWith(old) != 401 || s.statusWith(next.anything()) != 200 {
		t.Fatal("the new keys do not count alone", s.statusWith(old), s.statusWith(next.anything()))
	}
}

func (s *sandbox) shutdownIfIdleSince(since time.Time) answer {
	return s.post("/v1/control/shutdown", `{"if_idle_since":"`+since.UTC().Format(time.RFC3339Nano)+`"}`)
}

func TestShutdownIfIdleDecidesByItself(t *testing.T) {
	s := start(t)
	future := time.Now().Add(time.Hour)
	s.sh("true")
	wantProblem(t, s.shutdownIfIdleSince(time.Now().Add(-time.Hour)), 409, "INVALID_STATE") // used since then
	s.manage(settings{"process_id": "p", "command": []string{"sleep", "600"}})
	wantProblem(t, s.shutdownIfIdleSince(future), 409, "INVALID_STATE") // a process runs
	s.end("p")
	s.manage(settings{"process_id": "q", "command": []string{"false"}, "restart": "always"})
	s.awaitState("q", "restarting")
	wantProblem(t, s.shutdownIfIdleSince(future), 409, "INVALID_STATE") // one waits for its next start
	s.end("q")
	w := s.socketWith(t)
	wantProblem(t, s.shutdownIfIdleSince(future), 409, "INVALID_STATE") // a stream is open
	w.text(`{"type":"close"}`)
	w.untilClosed()
	last := s.usedUntil()
	eventually(t, "the stream has ended", func() bool {
		before := last
		last = s.usedUntil()
		return last.Equal(before)
	})
	s.get("/v1/metrics")
	s.get("/v1/health")
	if got := s.shutdownIfIdleSince(last); got.status != http.StatusAccepted {
		t.Fatalf("looking at it is no use of it: %s", got.body)
	}
	s.awaitEnd()
}

// usedUntil is when it was last used, as a refusal tells; while it is in use that is always now.
func (s *sandbox) usedUntil() time.Time {
	s.t.Helper()
	told := fieldOf(s.t, s.shutdownIfIdleSince(time.Now().Add(-time.Hour)).body, "detail").(string)
	last, err := time.Parse(time.RFC3339Nano, told[strings.LastIndex(told, " ")+1:])
	must(s.t, err)
	return last
}

// Of a shutdown and commands at the same moment one wins: a command that was begun is not lost.
func TestShutdownIfIdleLosesNoCommand(t *testing.T) {
	s := start(t)
	var refused atomic.Int32
	finished := make(chan struct{})
	for i := range 8 {
		go func() {
			defer func() { finished <- struct{}{} }()
			for range 50 { // after that it is idle at the latest
				request := s.request("POST", "/v1/exec", fmt.Sprintf(`{"command":"echo >> mark%d; sleep 0.01; echo >> end%d"}`, i, i))
				request.Header.Set("Authorization", "Bearer "+s.anything())
				response, err := s.client.Do(request)
				if err != nil {
					return // it has ended
				}
				_ = response.Body.Close()
				if response.StatusCode != http.StatusOK {
					refused.Add(1)
					return
				}
			}
		}()
	}
	for s.shutdownIfIdleSince(time.Now().Add(time.Hour)).status != http.StatusAccepted {
		time.Sleep(2 * time.Millisecond)
	}
	for range 8 {
		<-finished
	}
	s.awaitEnd()
	lost := 0
	for i := range 8 {
		if exists(s.in(fmt.Sprint("mark", i))) {
			lost += strings.Count(s.content(fmt.Sprint("mark", i)), "\n")
		}
		if exists(s.in(fmt.Sprint("end", i))) {
			lost -= strings.Count(s.content(fmt.Sprint("end", i)), "\n")
		}
	}
	if lost != 0 {
		t.Fatalf("%d commands were begun and cut, %d refused", lost, refused.Load())
	}
}
