package jail_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

const installation = "11111111-2222-4333-8444-555555555555"

var (
	boxd   string // the real binary, built for these tests
	prober string // asks the kernel questions from inside
	nsjail string
)

func TestMain(m *testing.M) {
	os.Exit(func() int {
		nsjail = os.Getenv("SANDBOXER_NSJAIL")
		if nsjail == "" {
			fmt.Fprintln(os.Stderr, "these tests start real jails: set SANDBOXER_NSJAIL to the path of nsjail")
			return 1
		}
		dir, err := os.MkdirTemp("", "sbxt")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		_ = os.Chmod(dir, 0o755)
		boxd, prober = filepath.Join(dir, "boxd"), filepath.Join(dir, "prober")
		build(boxd, "../../cmd/boxd")
		build(prober, "../seccomp/testdata/prober")
		return m.Run()
	}())
}

func build(to, from string) {
	command := exec.Command("go", "build", "-trimpath", "-o", to, from)
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := command.CombinedOutput(); err != nil {
		panic(fmt.Sprintf("build %s: %v: %s", from, err, text))
	}
}

// box is one real jail, as the platform would make and use it.
type box struct {
	t     *testing.T
	name  string
	dir   string
	spec  map[string]any
	key   *ecdsa.PrivateKey
	state map[string]string
}

var boxes int

// describe prepares a jail that is not launched yet.
func describe(t *testing.T) *box {
	t.Helper()
	boxes++
	home, err := os.MkdirTemp("", "sbxj")
	if err != nil {
		t.Fatal(err)
	}
	b := &box{t: t, name: fmt.Sprintf("b%019d-1-1", os.Getpid()*1000+boxes)}
	b.dir = filepath.Join(home, b.name)
	b.key, _ = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	b.spec = map[string]any{
		"identity": map[string]any{"installation": installation, "name": b.name},
		"label":    "signed", "dir": b.dir, "nsjail": nsjail, "boxd": boxd, "config": b.config(),
		"arguments": []string{"serve"}, "uid": 2_000_000 + boxes, "start_timeout_seconds": 20,
		"resources": map[string]any{
			"cpu_millis": 1000, "memory_bytes": 256 << 20, "pids": 64,
			"workspace_bytes": 32 << 20, "tmp_bytes": 8 << 20, "open_files": 256,
		},
		"best_effort": bestEffort(),
	}
	t.Cleanup(func() {
		_, _ = b.kill()
		_ = os.RemoveAll(home)
	})
	return b
}

// bestEffort is empty for root: everything has to hold there.
func bestEffort() []string {
	if os.Geteuid() == 0 {
		return []string{}
	}
	return []string{"uid", "memory", "pids", "cpus"}
}

func (b *box) config() []byte {
	point, err := b.key.PublicKey.Bytes()
	if err != nil {
		b.t.Fatal(err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	config, err := json.Marshal(map[string]any{
		"installation": installation, "sandbox_id": b.id(), "generation": 1, "issuer": "urn:sandboxer:" + installation,
		"deadline_seconds": 600, "pids": 64,
		"keys": map[string]any{"keys": []any{map[string]string{
			"kty": "EC", "crv": "P-256", "kid": "k", "x": encode(point[1:33]), "y": encode(point[33:]),
		}}},
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return config
}

func (b *box) id() string { return "sb_" + strings.TrimSuffix(b.name, "-1-1") }

func (b *box) resource(name string, value int64) *box {
	b.spec["resources"].(map[string]any)[name] = value
	return b
}

// start launches the jail and configures boxd.
func start(t *testing.T) *box { return describe(t).start() }

func (b *box) start() *box {
	b.t.Helper()
	state, err := b.launch()
	if err != nil {
		b.t.Fatal(err)
	}
	b.state = state
	b.configure()
	return b
}

func (b *box) configure() {
	b.t.Helper()
	if code, body := b.call(http.MethodPost, "/v1/control/configure", "admin", []byte(`{}`)); code != http.StatusNoContent {
		b.t.Fatalf("configure: %d %s", code, body)
	}
}

func (b *box) launch() (map[string]string, error) {
	text, err := json.Marshal(b.spec)
	if err != nil {
		return nil, err
	}
	return launcher(string(text), "launch")
}

func (b *box) kill() (map[string]string, error) { return launcher("", "kill", "--dir", b.dir) }

// launcher runs `boxd jail` and reads its lines; the error is the launcher's own.
func launcher(stdin string, args ...string) (map[string]string, error) {
	command := exec.Command("/bin/sh", append([]string{"-c", `umask 077; exec "$0" jail "$@"`, boxd}, args...)...) // the platform's umask
	command.Stdin = strings.NewReader(stdin)
	out, err := command.Output()
	fields := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "="); ok {
			fields[name] = strings.ReplaceAll(value, `\n`, "\n")
		}
	}
	if err != nil {
		return fields, fmt.Errorf("%s: %s", fields["error.code"], fields["error.message"])
	}
	return fields, nil
}

func (b *box) call(method, path, scope string, body []byte) (int, []byte) {
	b.t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", filepath.Join(b.dir, "s"))
		}}}
	request, err := http.NewRequest(method, "http://boxd"+path, bytes.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+b.token(scope))
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		log, _ := os.ReadFile(fmt.Sprintf("/proc/%d/fd/2", pidOf(b.state["supervisor"])))
		b.t.Fatalf("%s %s: %v; first process runs: %v; log: %s", method, path, err, running(b.state["init"]), bytes.Trim(log, "\x00"))
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return response.StatusCode, text
}

func (b *box) token(scope string) string {
	now := time.Now()
	token := jwt.NewWithClaims(jwt.SigningMethodES256, jwt.MapClaims{
		"iss": "urn:sandboxer:" + installation, "aud": "urn:sandboxer:boxd:" + b.id(), "sub": "test", "gen": 1, "epoch": 0,
		"scope": scope, "jti": rand.Text(), "iat": now.Unix(), "nbf": now.Unix(), "exp": now.Add(time.Minute).Unix(),
	})
	token.Header["kid"], token.Header["typ"] = "k", "at+jwt"
	text, err := token.SignedString(b.key)
	if err != nil {
		b.t.Fatal(err)
	}
	return text
}

// result is what a command left.
type result struct {
	Exit     *int   `json:"exit_code"`
	Signal   string `json:"signal"`
	Out      string `json:"stdout"`
	OOMKills int64  `json:"oom_kills"`
	Err      string `json:"stderr"`
}

// sh runs a shell command inside.
func (b *box) sh(command string) result {
	b.t.Helper()
	return b.exec(command)
}

// exec runs a shell command, or a program with arguments.
func (b *box) exec(command any) result {
	b.t.Helper()
	body, err := json.Marshal(map[string]any{"command": command, "timeout_ms": 120_000})
	if err != nil {
		b.t.Fatal(err)
	}
	code, text := b.call(http.MethodPost, "/v1/exec", "exec", body)
	if code != http.StatusOK {
		b.t.Fatalf("exec %v: %d %s", command, code, text)
	}
	var r result
	if err := json.Unmarshal(text, &r); err != nil {
		b.t.Fatalf("exec %v: %v: %s", command, err, text)
	}
	return r
}

// says fails unless the command succeeds and prints exactly this.
func (b *box) says(command, want string) {
	b.t.Helper()
	got := b.sh(command)
	if got.Exit == nil || *got.Exit != 0 || strings.TrimSpace(got.Out) != want {
		b.t.Errorf("%s: exit %v, out %q, err %q; want %q", command, exit(got), got.Out, got.Err, want)
	}
}

func exit(r result) string {
	if r.Exit == nil {
		return "signal " + r.Signal
	}
	return fmt.Sprint(*r.Exit)
}

// ask runs the prober inside; its answer is an errno's name, "ok", or what it saw.
func (b *box) ask(question ...string) string {
	b.t.Helper()
	b.bring(prober, "prober")
	got := b.sh("/workspace/prober " + strings.Join(question, " "))
	return strings.TrimSpace(got.Out + got.Err)
}

// control runs the prober outside, where what is closed inside has to work.
func control(question ...string) string {
	text, _ := exec.Command(prober, question...).CombinedOutput()
	return strings.TrimSpace(string(text))
}

func (b *box) bring(from, to string) {
	b.t.Helper()
	content, err := os.ReadFile(from)
	if err != nil {
		b.t.Fatal(err)
	}
	if code, body := b.call(http.MethodPost, "/v1/files/upload?path="+url.QueryEscape(to)+"&mode=0755", "fs_write", content); code >= 300 {
		b.t.Fatalf("upload %s: %d %s", to, code, body)
	}
	b.says("chmod 755 /workspace/"+to+" && echo ok", "ok")
}
