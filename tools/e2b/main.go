// Command fake-e2b is a loopback stand-in for the E2B cloud: control plane, edge proxy and one namespaced process tree per
// sandbox. It exists to test a client of E2B and an E2B-compatible server. It is no isolation boundary.
package main

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

type M = map[string]any

type box struct {
	id, template, token, traffic, state, domain string
	meta                                        map[string]string
	raw                                         M
	cpu, mem, timeout                           int
	started, end, visible                       time.Time
	runFrom                                     time.Time
	billed                                      time.Duration
	autoPause, autoResume                       bool
	g                                           *guest
	rt                                          http.RoundTripper
}

// fault changes how matching requests are answered. Match is "METHOD prefix" of the path, "" matches all.
type fault struct {
	Match      string `json:"match"`
	Status     int    `json:"status,omitempty"`     // answer with this status, do nothing
	ErrorCode  string `json:"errorCode,omitempty"`  // error_code of that answer
	RetryAfter string `json:"retryAfter,omitempty"` // Retry-After of that answer
	DelayMs    int    `json:"delayMs,omitempty"`    // wait before doing anything
	AfterMs    int    `json:"afterMs,omitempty"`    // do it, then wait before answering
	Lose       bool   `json:"lose,omitempty"`       // do it, then cut the connection without an answer
	Cut        bool   `json:"cut,omitempty"`        // cut the connection without doing it
	Count      int    `json:"count,omitempty"`      // apply this many times; 0 = always
	used       int
}

type idem struct {
	sum  string
	done bool
	code int
	body []byte
}

type server struct {
	mu       sync.Mutex
	boxes    map[string]*box
	dead     map[string]time.Duration
	faults   []*fault
	keys     map[string]*idem
	log      []M
	tmpl     map[string][2]int
	creates  []time.Time
	key      string
	domain   string
	envd     string
	envdVer  string
	lower    string
	dir      string
	max      int
	rate     int
	maxHours int
	page     int
	lag      time.Duration
	pending  int
	idemOn   bool
	cert     *certificates
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "guest-init" {
		guestInit()
		return
	}
	if len(os.Args) > 1 && os.Args[1] == "guest-envd" {
		guestEnvd()
		return
	}
	s := &server{boxes: map[string]*box{}, dead: map[string]time.Duration{}, keys: map[string]*idem{}, tmpl: map[string][2]int{"base": {2, 512}, "code-interpreter-v1": {2, 1024}}}
	listen := flag.String("listen", "127.0.0.1:3333", "http address: control plane, edge and /_fake")
	tlsAddr := flag.String("tls", "", "https address (self-signed; the CA goes to -ca)")
	caFile := flag.String("ca", "fake-e2b-ca.pem", "where to write the CA with -tls")
	flag.StringVar(&s.domain, "domain", "", "domain of the create reply, port included; empty leaves it out")
	flag.StringVar(&s.key, "key", "e2b_00000000000000000000000000000000", "the API key")
	flag.StringVar(&s.envd, "envd", "", "path of a real envd (static binary); empty uses the small built-in one")
	flag.StringVar(&s.envdVer, "envd-version", "0.6.13", "envdVersion that clients see")
	flag.StringVar(&s.lower, "root", "/", "read-only lower directory of each sandbox's root (root user only)")
	flag.IntVar(&s.max, "max", 20, "concurrent sandboxes")
	flag.IntVar(&s.rate, "create-rate", 0, "creates per second, 0 = no limit")
	flag.IntVar(&s.maxHours, "max-hours", 1, "longest timeout")
	flag.IntVar(&s.page, "page", 100, "most sandboxes on a page of a list")
	flag.DurationVar(&s.lag, "list-lag", 0, "a new sandbox shows in lists only after this")
	flag.BoolVar(&s.idemOn, "idempotency", true, "honour Idempotency-Key on POST /v2/sandboxes; false ignores it, as older servers do")
	withStdin := flag.Bool("with-stdin", false, "end when standard input does, so that nothing outlives the program that started this one")
	flag.Func("template", "name=vcpuxMiB (repeatable)", func(v string) error {
		var c, m int
		n, r, ok := strings.Cut(v, "=")
		if _, err := fmt.Sscanf(r, "%dx%d", &c, &m); err != nil || !ok {
			return errors.New("want name=2x512")
		}
		s.tmpl[n] = [2]int{c, m}
		return nil
	})
	flag.Parse()
	if os.Geteuid() != 0 {
		log.Fatal("fake-e2b needs root: it makes namespaces and an overlay root for each sandbox")
	}
	syscall.Umask(0o022) // the roots of sandboxes are not for root alone
	var err error
	if s.dir, err = os.MkdirTemp("", "fake-e2b-"); err != nil {
		log.Fatal(err)
	}
	go s.reap()
	p := new(http.Protocols)
	p.SetHTTP1(true)
	p.SetHTTP2(true)
	p.SetUnencryptedHTTP2(true)
	srv := &http.Server{Addr: *listen, Handler: s, Protocols: p}
	if *tlsAddr != "" {
		s.cert = &certificates{file: *caFile, domain: s.domain}
		if err := s.cert.renew(); err != nil {
			log.Fatal(err)
		}
		t := &http.Server{Addr: *tlsAddr, Handler: s, TLSConfig: s.cert.config()}
		go func() { log.Fatal(t.ListenAndServeTLS("", "")) }()
	}
	go func() {
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGINT, syscall.SIGTERM)
		if *withStdin {
			go func() {
				io.Copy(io.Discard, os.Stdin)
				c <- syscall.SIGTERM
			}()
		}
		<-c
		s.mu.Lock()
		for _, b := range s.boxes {
			b.g.kill()
		}
		os.RemoveAll(s.dir)
		os.Exit(0)
	}()
	log.Printf("fake-e2b on %s tls=%s envd=%q", *listen, *tlsAddr, s.envd)
	log.Fatal(srv.ListenAndServe())
}

func rnd(n int) string {
	const a = "0123456789abcdefghijklmnopqrstuvwxyz"
	b := make([]byte, n)
	rand.Read(b)
	for i := range b {
		b[i] = a[int(b[i])%len(a)]
	}
	return string(b)
}

func reply(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	json.NewEncoder(w).Encode(v)
}

func fail(w http.ResponseWriter, code int, format string, a ...any) {
	reply(w, code, M{"code": code, "message": fmt.Sprintf(format, a...)})
}

var hostRe = regexp.MustCompile(`^(\d+)-([a-z0-9]+)\.`)

// ServeHTTP routes as E2B's edge does: routing headers count only on localhost, an IP address or sandbox.<domain>;
// any other host must be <port>-<id>.<domain>.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	host := (&url.URL{Host: r.Host}).Hostname()
	if strings.HasPrefix(r.URL.Path, "/_fake/") {
		s.admin(w, r)
		return
	}
	entry := M{"at": time.Now().UTC().Format(time.RFC3339Nano), "method": r.Method, "host": r.Host, "path": r.URL.RequestURI(), "proto": r.Proto, "ua": r.UserAgent(), "idem": r.Header.Get("Idempotency-Key")}
	s.mu.Lock()
	if s.log = append(s.log, entry); len(s.log) > 2000 {
		s.log = s.log[1000:]
	}
	var f *fault
	for _, x := range s.faults {
		if (x.Count == 0 || x.used < x.Count) && strings.HasPrefix(r.Method+" "+r.URL.Path, x.Match) {
			f = x
			x.used++
			break
		}
	}
	s.mu.Unlock()
	next := s.control
	shared := host == "localhost" || net.ParseIP(host) != nil || strings.HasPrefix(host, "sandbox.")
	id, port := "", 0
	if m := hostRe.FindStringSubmatch(r.Host); m != nil {
		id, port = m[2], atoi(m[1])
	} else if shared && (r.Header.Get("E2b-Sandbox-Id") != "" || r.Header.Get("E2b-Sandbox-Port") != "") {
		id, port = r.Header.Get("E2b-Sandbox-Id"), atoi(r.Header.Get("E2b-Sandbox-Port"))
		if id == "" || port == 0 {
			fail(w, 400, "Missing or invalid sandbox routing header")
			return
		}
	}
	if id != "" {
		next = func(w http.ResponseWriter, r *http.Request) { s.edge(w, r, id, port) }
	}
	if f == nil {
		next(w, r)
		return
	}
	entry["fault"] = *f
	time.Sleep(time.Duration(f.DelayMs) * time.Millisecond)
	switch {
	case f.Cut:
		panic(http.ErrAbortHandler)
	case f.Status != 0:
		if f.RetryAfter != "" {
			w.Header().Set("Retry-After", f.RetryAfter)
		}
		body := M{"code": f.Status, "message": "fault " + strconv.Itoa(f.Status)}
		if f.ErrorCode != "" {
			body["error_code"] = f.ErrorCode
		}
		reply(w, f.Status, body)
	case f.Lose || f.AfterMs > 0:
		rec := httptest.NewRecorder()
		next(rec, r)
		if f.Lose {
			panic(http.ErrAbortHandler)
		}
		time.Sleep(time.Duration(f.AfterMs) * time.Millisecond)
		for k, v := range rec.Header() {
			w.Header()[k] = v
		}
		w.WriteHeader(rec.Code)
		w.Write(rec.Body.Bytes())
	default:
		next(w, r)
	}
}

func atoi(s string) int { n, _ := strconv.Atoi(s); return n }

// admin: POST /_fake/faults [..] replaces the faults; GET /_fake/state shows every sandbox, unlisted ones too;
// GET /_fake/log the requests; POST /_fake/kill/<id> loses a sandbox behind the client's back; POST /_fake/certificate
// replaces the certificate and the authority of the https address: new connections see it.
func (s *server) admin(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case r.URL.Path == "/_fake/faults" && r.Method == "POST":
		var f []*fault
		if err := json.NewDecoder(r.Body).Decode(&f); err != nil {
			fail(w, 400, "%v", err)
			return
		}
		s.faults = f
		reply(w, 200, f)
	case r.URL.Path == "/_fake/state":
		out, total := []M{}, time.Duration(0)
		for _, b := range s.boxes {
			d := s.detail(b)
			d["billedSeconds"] = b.bill().Seconds()
			total += b.bill()
			out = append(out, d)
		}
		for _, d := range s.dead {
			total += d
		}
		reply(w, 200, M{"sandboxes": out, "killed": len(s.dead), "billedSeconds": total.Seconds()})
	case r.URL.Path == "/_fake/log":
		reply(w, 200, s.log)
	case strings.HasPrefix(r.URL.Path, "/_fake/kill/"):
		if b := s.boxes[filepath.Base(r.URL.Path)]; b != nil {
			s.remove(b)
		}
		w.WriteHeader(204)
	case r.URL.Path == "/_fake/certificate" && s.cert != nil:
		if err := s.cert.renew(); err != nil {
			fail(w, 500, "%v", err)
			return
		}
		w.WriteHeader(204)
	default:
		fail(w, 404, "no such switch")
	}
}

func (b *box) bill() time.Duration {
	if b.state == "running" {
		return b.billed + time.Since(b.runFrom)
	}
	return b.billed
}

func (s *server) remove(b *box) {
	s.dead[b.id] = b.bill()
	delete(s.boxes, b.id)
	b.g.kill()
}

func (s *server) pause(b *box) {
	b.billed, b.state = b.bill(), "paused"
	b.g.freeze(true)
}

func (s *server) resume(b *box, timeout int) {
	b.state, b.runFrom = "running", time.Now()
	b.end = b.runFrom.Add(time.Duration(timeout) * time.Second)
	b.g.freeze(false)
}

func (s *server) reap() {
	for range time.Tick(200 * time.Millisecond) {
		s.mu.Lock()
		for _, b := range s.boxes {
			if b.state == "running" && time.Now().After(b.end) {
				if b.autoPause {
					s.pause(b)
				} else {
					s.remove(b)
				}
			}
		}
		s.mu.Unlock()
	}
}

func ts(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }

func (s *server) created(b *box) M {
	m := M{"templateID": b.template, "sandboxID": b.id, "clientID": "6532622b", "envdVersion": s.envdVer}
	if b.token != "" {
		m["envdAccessToken"] = b.token
	}
	if b.traffic != "" {
		m["trafficAccessToken"] = b.traffic
	}
	if s.domain != "" {
		m["domain"] = s.domain
	}
	return m
}

func (s *server) listed(b *box) M {
	return M{"templateID": b.template, "sandboxID": b.id, "clientID": "6532622b", "startedAt": ts(b.started), "endAt": ts(b.end), "cpuCount": b.cpu, "memoryMB": b.mem, "diskSizeMB": 10240, "metadata": b.meta, "state": b.state, "envdVersion": s.envdVer}
}

func (s *server) detail(b *box) M {
	m := s.listed(b)
	for k, v := range s.created(b) {
		m[k] = v
	}
	delete(m, "trafficAccessToken")
	on := "kill"
	if b.autoPause {
		on = "pause"
	}
	m["lifecycle"] = M{"autoResume": b.autoResume, "onTimeout": on}
	return m
}

func (s *server) control(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimSuffix(r.URL.Path, "/")
	if path == "/health" {
		w.WriteHeader(204)
		return
	}
	if k := r.Header.Get("X-Api-Key"); k != s.key {
		fail(w, 401, "Unauthorized, please check your credentials.")
		return
	}
	body, _ := io.ReadAll(r.Body)
	p := strings.Split(strings.TrimPrefix(strings.TrimPrefix(path, "/v2"), "/"), "/")
	v2 := strings.HasPrefix(path, "/v2/")
	switch {
	case p[0] == "templates" && r.Method == "GET":
		out := []M{}
		for n, x := range s.tmpl {
			out = append(out, M{"templateID": n, "buildID": "00000000-0000-0000-0000-000000000000", "cpuCount": x[0], "memoryMB": x[1], "diskSizeMB": 10240, "public": true, "aliases": []string{n}, "names": []string{n}, "createdAt": "2026-01-01T00:00:00Z", "updatedAt": "2026-01-01T00:00:00Z", "createdBy": nil, "lastSpawnedAt": nil, "spawnCount": 0, "buildCount": 1, "envdVersion": s.envdVer, "buildStatus": "ready"})
		}
		reply(w, 200, out)
	case p[0] != "sandboxes":
		fail(w, 404, "no such route here: %s", r.URL.Path)
	case len(p) == 1 && r.Method == "POST":
		s.create(w, r, body, v2)
	case len(p) == 1 && r.Method == "GET":
		s.list(w, r, v2)
	case len(p) > 1:
		s.one(w, r, p[1], strings.Join(p[2:], "/"), body)
	default:
		fail(w, 405, "method not allowed")
	}
}

func (s *server) create(w http.ResponseWriter, r *http.Request, body []byte, v2 bool) {
	key := r.Header.Get("Idempotency-Key")
	if !v2 || !s.idemOn {
		key = ""
	}
	sum := sha256.Sum256(body)
	h := hex.EncodeToString(sum[:])
	if key != "" {
		s.mu.Lock()
		e := s.keys[key]
		if e == nil {
			e = &idem{sum: h}
			s.keys[key] = e
			s.mu.Unlock()
			rec := httptest.NewRecorder()
			s.doCreate(rec, body, v2)
			s.mu.Lock()
			if rec.Code == 201 {
				e.done, e.code, e.body = true, rec.Code, rec.Body.Bytes()
			} else {
				delete(s.keys, key)
			}
			s.mu.Unlock()
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(rec.Code)
			w.Write(rec.Body.Bytes())
			return
		}
		s.mu.Unlock()
		switch {
		case e.sum != h:
			reply(w, 422, M{"code": 422, "error_code": "idempotency_request_mismatch", "message": "key was used with another request"})
		case !e.done:
			w.Header().Set("Retry-After", "1")
			reply(w, 409, M{"code": 409, "error_code": "idempotency_in_progress", "message": "the first request is still running"})
		default:
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(e.code)
			w.Write(e.body)
		}
		return
	}
	s.doCreate(w, body, v2)
}

func (s *server) doCreate(w http.ResponseWriter, body []byte, v2 bool) {
	var q struct {
		TemplateID string            `json:"templateID"`
		Timeout    *int              `json:"timeout"`
		Metadata   map[string]string `json:"metadata"`
		EnvVars    map[string]string `json:"envVars"`
		Secure     bool              `json:"secure"`
		AutoPause  bool              `json:"autoPause"`
		AutoResume struct {
			Enabled bool `json:"enabled"`
		} `json:"autoResume"`
		Network struct {
			Public *bool `json:"allowPublicTraffic"`
		} `json:"network"`
	}
	if err := json.Unmarshal(body, &q); err != nil || q.TemplateID == "" {
		fail(w, 400, "Error when parsing request: %v", err)
		return
	}
	name, _, _ := strings.Cut(q.TemplateID, ":")
	size, ok := s.tmpl[name]
	if !ok {
		fail(w, 404, "template '%s' not found", q.TemplateID)
		return
	}
	t := 15
	if v2 {
		t = 300
	}
	if q.Timeout != nil {
		t = *q.Timeout
	}
	if t <= 0 {
		fail(w, 400, "Timeout must be greater than 0")
		return
	}
	if t > s.maxHours*3600 {
		fail(w, 400, "Timeout cannot be greater than %d hours", s.maxHours)
		return
	}
	s.mu.Lock()
	running := s.pending
	for _, b := range s.boxes {
		if b.state == "running" {
			running++
		}
	}
	if running >= s.max {
		s.mu.Unlock()
		fail(w, 429, "you have reached the maximum number of concurrent E2B sandboxes (%d)", s.max)
		return
	}
	if s.rate > 0 {
		now := time.Now()
		for len(s.creates) > 0 && now.Sub(s.creates[0]) > time.Second {
			s.creates = s.creates[1:]
		}
		if len(s.creates) >= s.rate {
			s.mu.Unlock()
			w.Header().Set("Retry-After", "1")
			fail(w, 429, "Rate limit exceeded")
			return
		}
		s.creates = append(s.creates, now)
	}
	s.pending++
	s.mu.Unlock()
	b := &box{id: "i" + rnd(20), template: name, meta: q.Metadata, cpu: size[0], mem: size[1], timeout: t, state: "running", autoPause: q.AutoPause, autoResume: q.AutoResume.Enabled}
	if v2 || q.Secure {
		b.token = rnd(40)
	}
	if q.Network.Public != nil && !*q.Network.Public {
		b.traffic = rnd(32)
	}
	if b.meta == nil {
		b.meta = map[string]string{}
	}
	g, err := startGuest(filepath.Join(s.dir, b.id), s.envd, s.lower)
	if err == nil {
		b.g = g
		b.rt = &http.Transport{DialContext: g.dialHTTP, MaxIdleConnsPerHost: 8, IdleConnTimeout: 30 * time.Second, DisableCompression: true}
		err = s.initEnvd(b, q.EnvVars)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending--
	if err != nil {
		log.Printf("create %s: %v", b.id, err)
		if g != nil {
			g.kill()
		}
		reply(w, 500, M{"code": 500, "error_code": "sandbox_create_failed", "message": "Failed to create sandbox: " + err.Error()})
		return
	}
	b.started = time.Now()
	b.runFrom, b.end, b.visible = b.started, b.started.Add(time.Duration(t)*time.Second), b.started.Add(s.lag)
	s.boxes[b.id] = b
	reply(w, 201, s.created(b))
}

// initEnvd does what the orchestrator does after boot. It sends no timestamp: envd would set the machine's clock.
func (s *server) initEnvd(b *box, env map[string]string) error {
	all := map[string]string{"E2B_SANDBOX_ID": b.id, "E2B_TEMPLATE_ID": b.template}
	for k, v := range env {
		all[k] = v
	}
	q := M{"envVars": all, "defaultUser": "user", "defaultWorkdir": "/home/user"}
	if b.token != "" {
		q["accessToken"] = b.token
	}
	j, _ := json.Marshal(q)
	c := &http.Client{Transport: b.rt, Timeout: 5 * time.Second}
	var err error
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		var res *http.Response
		if res, err = c.Post("http://sandbox:49983/init", "application/json", bytes.NewReader(j)); err == nil {
			res.Body.Close()
			if res.StatusCode == 204 {
				return nil
			}
			err = fmt.Errorf("init: %s", res.Status)
		}
		select {
		case <-b.g.gone:
			out, _ := os.ReadFile(filepath.Join(b.g.dir, "log"))
			return fmt.Errorf("sandbox ended: %s", out)
		default:
		}
	}
	return err
}

func (s *server) list(w http.ResponseWriter, r *http.Request, v2 bool) {
	q := r.URL.Query()
	want := map[string]string{}
	if md := q.Get("metadata"); md != "" {
		v, err := url.ParseQuery(md)
		if err != nil {
			fail(w, 400, "Error parsing metadata")
			return
		}
		for k, x := range v {
			k2, e1 := url.QueryUnescape(k)
			x2, e2 := url.QueryUnescape(x[0])
			if e1 != nil || e2 != nil {
				fail(w, 400, "Error parsing metadata")
				return
			}
			want[k2] = x2
		}
	}
	states := "running"
	if v2 {
		states = "running,paused"
		if x := q["state"]; len(x) > 0 {
			states = strings.Join(x, ",")
		}
	}
	s.mu.Lock()
	all := []*box{}
	running := 0
next:
	for _, b := range s.boxes {
		if time.Now().Before(b.visible) || !strings.Contains(","+states+",", ","+b.state+",") || (q.Get("template") != "" && q.Get("template") != b.template) {
			continue
		}
		if a, err := time.Parse(time.RFC3339, q.Get("startedAfter")); err == nil && b.started.Before(a) {
			continue
		}
		for k, v := range want {
			if b.meta[k] != v {
				continue next
			}
		}
		if b.state == "running" {
			running++
		}
		all = append(all, b)
	}
	asc := q.Get("order") == "asc"
	sort.Slice(all, func(i, j int) bool { return all[i].started.Before(all[j].started) == asc })
	limit := s.page
	if n := atoi(q.Get("limit")); n > 0 && n < limit {
		limit = n
	}
	from := atoi(q.Get("nextToken"))
	out := []M{}
	for i := from; i < len(all) && len(out) < limit; i++ {
		out = append(out, s.listed(all[i]))
	}
	s.mu.Unlock()
	if v2 {
		if from+len(out) < len(all) {
			w.Header().Set("X-Next-Token", strconv.Itoa(from+len(out)))
		}
		w.Header().Set("X-Total-Running", strconv.Itoa(running))
	}
	reply(w, 200, out)
}

func (s *server) one(w http.ResponseWriter, r *http.Request, id, op string, body []byte) {
	id, _, _ = strings.Cut(id, "-") // older clients append the client id
	s.mu.Lock()
	defer s.mu.Unlock()
	if id == "metrics" {
		reply(w, 200, M{"sandboxes": M{}})
		return
	}
	b := s.boxes[id]
	if b == nil {
		fail(w, 404, "Sandbox \"%s\" doesn't exist or you don't have access to it", id)
		return
	}
	var q struct {
		Timeout int `json:"timeout"`
	}
	json.Unmarshal(body, &q)
	switch r.Method + " " + op {
	case "GET ":
		reply(w, 200, s.detail(b))
	case "DELETE ":
		s.remove(b)
		w.WriteHeader(204)
	case "POST timeout":
		if b.state != "running" {
			fail(w, 404, "Sandbox \"%s\" isn't running", id)
			return
		}
		if q.Timeout > s.maxHours*3600 {
			fail(w, 400, "Timeout cannot be greater than %d hours", s.maxHours)
			return
		}
		b.end = time.Now().Add(time.Duration(q.Timeout) * time.Second)
		w.WriteHeader(204)
	case "POST pause":
		if b.state != "running" {
			fail(w, 409, "Sandbox \"%s\" is already paused", id)
			return
		}
		s.pause(b)
		w.WriteHeader(204)
	case "POST connect", "POST resume":
		if b.state == "running" {
			if op == "resume" {
				fail(w, 409, "Sandbox \"%s\" is already running", id)
				return
			}
			if e := time.Now().Add(time.Duration(q.Timeout) * time.Second); e.After(b.end) {
				b.end = e // connect only ever extends
			}
			reply(w, 200, s.created(b))
			return
		}
		s.resume(b, max(q.Timeout, 1))
		reply(w, 201, s.created(b))
	case "GET metrics":
		now := time.Now()
		reply(w, 200, []M{{"timestamp": ts(now), "timestampUnix": now.Unix(), "cpuCount": b.cpu, "cpuUsedPct": 1.5, "memUsed": 64 << 20, "memTotal": b.mem << 20, "memCache": 0, "diskUsed": 1 << 30, "diskTotal": 10 << 30}})
	case "PUT network":
		w.WriteHeader(204)
	default:
		fail(w, 501, "the stand-in does not do %s %s", r.Method, op)
	}
}

// edge carries <port>-<id> traffic into the sandbox.
func (s *server) edge(w http.ResponseWriter, r *http.Request, id string, port int) {
	s.mu.Lock()
	b := s.boxes[id]
	if b != nil && b.state == "paused" && b.autoResume {
		s.resume(b, b.timeout)
	}
	ok := b != nil && b.state == "running"
	s.mu.Unlock()
	if !ok {
		reply(w, 502, M{"sandboxId": id, "message": "The sandbox was not found", "code": 502})
		return
	}
	if port == 49983 {
		switch r.URL.Path {
		case "/init", "/freeze", "/unfreeze", "/upgrade":
			reply(w, 403, M{"message": "reserved for the control plane", "path": r.URL.Path, "code": 403})
			return
		}
	} else if b.traffic != "" && r.Header.Get("E2b-Traffic-Access-Token") != b.traffic {
		reply(w, 403, M{"sandboxId": id, "message": "traffic access token missing or invalid", "code": 403})
		return
	}
	// A stream starts to answer before its request body was read to the end; without this, Go closes that body under
	// the proxy and cuts about one stream in fifteen.
	http.NewResponseController(w).EnableFullDuplex()
	(&httputil.ReverseProxy{
		Rewrite: func(p *httputil.ProxyRequest) {
			p.Out.URL.Scheme, p.Out.URL.Host = "http", fmt.Sprintf("sandbox:%d", port)
			p.Out.Host = r.Host
		},
		Transport: b.rt, FlushInterval: -1, ErrorLog: log.New(log.Writer(), id+" ", log.LstdFlags),
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			reply(w, 502, M{"sandboxId": id, "message": "The sandbox is running but port is not open", "port": port, "code": 502})
		},
	}).ServeHTTP(w, r)
}
