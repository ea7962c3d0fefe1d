package main

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

func lockThread() { runtime.LockOSThread() }

// miniEnvd speaks enough of envd for a client that places one file and starts one process, and for the SDKs'
// commands.run and files.*: JSON only, no PTY, no watch, no signed URLs, no gzip upload.
type miniEnvd struct {
	mu    sync.Mutex
	token string
	env   map[string]string
	procs map[int]*mproc
}

type mproc struct {
	cfg   M
	tag   any
	cmd   *exec.Cmd
	stdin io.WriteCloser
	mu    sync.Mutex
	subs  map[chan M]bool
	end   M
}

func guestEnvd() {
	e := &miniEnvd{env: map[string]string{}, procs: map[int]*mproc{}}
	must("envd", http.ListenAndServe(":49983", e))
}

func rpcFail(w http.ResponseWriter, stream bool, http_ int, code, msg string) {
	if stream {
		w.Header().Set("Content-Type", "application/connect+json")
		w.WriteHeader(200)
		frame(w, 2, M{"error": M{"code": code, "message": msg}})
		return
	}
	reply(w, http_, M{"code": code, "message": msg})
}

func frame(w io.Writer, flag byte, v any) error {
	j, _ := json.Marshal(v)
	h := make([]byte, 5, 5+len(j))
	h[0] = flag
	binary.BigEndian.PutUint32(h[1:], uint32(len(j)))
	_, err := w.Write(append(h, j...))
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
	return err
}

func (e *miniEnvd) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	token := e.token
	e.mu.Unlock()
	open := r.URL.Path == "/health" || r.URL.Path == "/init"
	if token != "" && !open && r.Header.Get("X-Access-Token") != token {
		reply(w, 401, M{"code": 401, "message": "unauthorized access, please provide a valid access token"})
		return
	}
	switch {
	case r.URL.Path == "/health":
		w.WriteHeader(204)
	case r.URL.Path == "/init":
		var q struct {
			AccessToken string            `json:"accessToken"`
			EnvVars     map[string]string `json:"envVars"`
		}
		json.NewDecoder(r.Body).Decode(&q)
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.token != "" && q.AccessToken != e.token {
			w.WriteHeader(401)
			return
		}
		e.token = q.AccessToken
		for k, v := range q.EnvVars {
			e.env[k] = v
		}
		w.WriteHeader(204)
	case r.URL.Path == "/files":
		e.files(w, r)
	case strings.HasPrefix(r.URL.Path, "/process.Process/"), strings.HasPrefix(r.URL.Path, "/filesystem.Filesystem/"):
		e.rpc(w, r)
	default:
		reply(w, 404, M{"code": 404, "message": "no such route"})
	}
}

func abs(p string) string {
	if p == "~" || strings.HasPrefix(p, "~/") {
		p = p[1:]
		return filepath.Join("/home/user", p)
	}
	if !filepath.IsAbs(p) {
		return filepath.Join("/home/user", p)
	}
	return filepath.Clean(p)
}

func owner(user string) (uid, gid int) {
	if user == "root" {
		return 0, 0
	}
	return 1000, 1000
}

func (e *miniEnvd) put(path, user string, src io.Reader) (M, int, error) {
	uid, gid := owner(user)
	for d, todo := filepath.Dir(path), []string{}; ; d = filepath.Dir(d) {
		if _, err := os.Stat(d); err == nil {
			for i := len(todo) - 1; i >= 0; i-- {
				os.Mkdir(todo[i], 0o755)
				os.Chown(todo[i], uid, gid)
			}
			break
		}
		todo = append(todo, d)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o666)
	if err != nil {
		return nil, 500, err
	}
	defer f.Close()
	f.Chown(uid, gid)
	if _, err := io.Copy(f, src); err != nil {
		if errors.Is(err, syscall.ENOSPC) {
			return nil, 507, err
		}
		return nil, 500, err
	}
	return M{"path": path, "name": filepath.Base(path), "type": "file"}, 200, nil
}

func (e *miniEnvd) files(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	path, user := abs(q.Get("path")), q.Get("username")
	if r.Method == "GET" {
		st, err := os.Stat(path)
		if err != nil {
			reply(w, 404, M{"code": 404, "message": fmt.Sprintf("path '%s' does not exist", path)})
			return
		}
		if st.IsDir() {
			reply(w, 400, M{"code": 400, "message": fmt.Sprintf("path '%s' is a directory", path)})
			return
		}
		http.ServeFile(w, r, path)
		return
	}
	out := []M{}
	one := func(p string, src io.Reader) bool {
		m, code, err := e.put(p, user, src)
		if err != nil {
			reply(w, code, M{"code": code, "message": err.Error()})
			return false
		}
		out = append(out, m)
		return true
	}
	if strings.HasPrefix(r.Header.Get("Content-Type"), "application/octet-stream") {
		if !one(path, r.Body) {
			return
		}
		reply(w, 200, out)
		return
	}
	mr, err := r.MultipartReader()
	if err != nil {
		reply(w, 400, M{"code": 400, "message": err.Error()})
		return
	}
	for {
		p, err := mr.NextPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			reply(w, 400, M{"code": 400, "message": err.Error()})
			return
		}
		if p.FormName() != "file" {
			continue
		}
		dst := path
		if q.Get("path") == "" {
			// Part.FileName drops directories, the name here is a full path
			_, rest, _ := strings.Cut(p.Header.Get("Content-Disposition"), `filename="`)
			n, _, _ := strings.Cut(rest, `"`)
			dst = abs(n)
		}
		if !one(dst, p) {
			return
		}
	}
	reply(w, 200, out)
}

func entry(path string) (M, error) {
	st, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	t := "FILE_TYPE_FILE"
	if st.IsDir() {
		t = "FILE_TYPE_DIRECTORY"
	} else if st.Mode()&os.ModeSymlink != 0 {
		t = "FILE_TYPE_SYMLINK"
	}
	sys := st.Sys().(*syscall.Stat_t)
	name := func(id uint32) string {
		return map[uint32]string{0: "root", 1000: "user"}[id]
	}
	return M{"name": filepath.Base(path), "type": t, "path": path, "size": strconv.FormatInt(st.Size(), 10), "mode": uint32(st.Mode().Perm()), "permissions": st.Mode().String(), "owner": name(sys.Uid), "group": name(sys.Gid), "modifiedTime": st.ModTime().UTC().Format(time.RFC3339Nano)}, nil
}

func (e *miniEnvd) rpc(w http.ResponseWriter, r *http.Request) {
	ct := r.Header.Get("Content-Type")
	stream := strings.HasPrefix(ct, "application/connect+")
	if !strings.HasSuffix(ct, "json") {
		w.WriteHeader(415)
		return
	}
	if stream {
		io.CopyN(io.Discard, r.Body, 5)
	}
	var q struct {
		Path, Source, Destination, Signal string
		Depth                             uint32
		Process                           struct {
			Cmd, Cwd string
			Args     []string
			Envs     map[string]string
			Pid      int
			Tag      string
		}
		Tag   any
		Pty   any
		Stdin *bool
		Input struct{ Stdin, Pty []byte }
	}
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil && err != io.EOF {
		rpcFail(w, stream, 400, "invalid_argument", err.Error())
		return
	}
	user, _, _ := r.BasicAuth()
	switch op := filepath.Base(r.URL.Path); op {
	case "Start":
		if q.Pty != nil {
			rpcFail(w, stream, 501, "unimplemented", "no pty here")
			return
		}
		uid, gid := owner(user)
		p := &mproc{subs: map[chan M]bool{}, tag: q.Tag, cfg: M{"cmd": q.Process.Cmd, "args": q.Process.Args, "envs": q.Process.Envs}}
		c := exec.Command(q.Process.Cmd, q.Process.Args...)
		home := map[bool]string{true: "/root", false: "/home/user"}[uid == 0]
		c.Dir = "/home/user"
		if q.Process.Cwd != "" {
			c.Dir = abs(q.Process.Cwd)
			p.cfg["cwd"] = q.Process.Cwd
		}
		c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "USER=" + map[bool]string{true: "root", false: "user"}[uid == 0]}
		e.mu.Lock()
		for k, v := range e.env {
			c.Env = append(c.Env, k+"="+v)
		}
		e.mu.Unlock()
		for k, v := range q.Process.Envs {
			c.Env = append(c.Env, k+"="+v)
		}
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
		so, _ := c.StdoutPipe()
		se, _ := c.StderrPipe()
		if q.Stdin == nil || *q.Stdin {
			p.stdin, _ = c.StdinPipe()
		}
		p.cmd = c
		ch := make(chan M, 1024)
		p.subs[ch] = true
		if err := c.Start(); err != nil {
			rpcFail(w, stream, 400, "invalid_argument", err.Error())
			return
		}
		pid := c.Process.Pid
		e.mu.Lock()
		e.procs[pid] = p
		e.mu.Unlock()
		var wg sync.WaitGroup
		for n, src := range map[string]io.Reader{"stdout": so, "stderr": se} {
			wg.Add(1)
			go func() {
				defer wg.Done()
				b := make([]byte, 32<<10)
				for {
					k, err := src.Read(b)
					if k > 0 {
						p.send(M{"event": M{"data": M{n: base64.StdEncoding.EncodeToString(b[:k])}}})
					}
					if err != nil {
						return
					}
				}
			}()
		}
		if ms := atoi(r.Header.Get("Connect-Timeout-Ms")); ms > 0 {
			t := time.AfterFunc(time.Duration(ms)*time.Millisecond, func() { c.Process.Kill() })
			defer t.Stop()
		}
		go func() {
			wg.Wait()
			c.Wait()
			end := M{"exited": c.ProcessState.Exited(), "status": c.ProcessState.String()}
			if x := c.ProcessState.ExitCode(); x != 0 {
				end["exitCode"] = x
			}
			if !c.ProcessState.Success() {
				end["error"] = c.ProcessState.String()
			}
			e.mu.Lock()
			delete(e.procs, pid)
			e.mu.Unlock()
			p.send(M{"event": M{"end": end}})
		}()
		p.follow(w, r, ch, pid)
	case "Connect":
		p := e.find(q.Process.Pid, q.Process.Tag)
		if p == nil {
			rpcFail(w, stream, 404, "not_found", "process not found")
			return
		}
		ch := make(chan M, 1024)
		p.mu.Lock()
		p.subs[ch] = true
		p.mu.Unlock()
		p.follow(w, r, ch, p.cmd.Process.Pid)
	case "List":
		l := []M{}
		e.mu.Lock()
		for pid, p := range e.procs {
			m := M{"config": p.cfg, "pid": pid}
			if p.tag != nil {
				m["tag"] = p.tag
			}
			l = append(l, m)
		}
		e.mu.Unlock()
		reply(w, 200, M{"processes": l})
	case "SendSignal", "SendInput", "CloseStdin", "Update":
		p := e.find(q.Process.Pid, q.Process.Tag)
		if p == nil {
			rpcFail(w, false, 404, "not_found", fmt.Sprintf("process with pid %d not found", q.Process.Pid))
			return
		}
		switch op {
		case "SendSignal":
			sig := map[string]syscall.Signal{"SIGNAL_SIGTERM": 15, "SIGNAL_SIGKILL": 9}[q.Signal]
			if sig == 0 {
				rpcFail(w, false, 400, "invalid_argument", "signal")
				return
			}
			p.cmd.Process.Signal(sig)
		case "SendInput":
			if p.stdin == nil {
				rpcFail(w, false, 400, "failed_precondition", "stdin is not open")
				return
			}
			p.stdin.Write(q.Input.Stdin)
		case "CloseStdin":
			if p.stdin != nil {
				p.stdin.Close()
			}
		}
		reply(w, 200, M{})
	case "Stat":
		m, err := entry(abs(q.Path))
		if err != nil {
			rpcFail(w, false, 404, "not_found", "file not found: "+q.Path)
			return
		}
		reply(w, 200, M{"entry": m})
	case "ListDir":
		root, out := abs(q.Path), []M{}
		if st, err := os.Stat(root); err != nil {
			rpcFail(w, false, 404, "not_found", "directory not found: "+q.Path)
			return
		} else if !st.IsDir() {
			rpcFail(w, false, 400, "invalid_argument", "not a directory")
			return
		}
		filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
			if err != nil || p == root {
				return nil
			}
			if m, err := entry(p); err == nil {
				out = append(out, m)
			}
			if rel, _ := filepath.Rel(root, p); d.IsDir() && strings.Count(rel, "/")+1 >= int(max(q.Depth, 1)) {
				return filepath.SkipDir
			}
			return nil
		})
		reply(w, 200, M{"entries": out})
	case "MakeDir":
		p := abs(q.Path)
		if st, err := os.Stat(p); err == nil {
			rpcFail(w, false, 409, map[bool]string{true: "already_exists", false: "invalid_argument"}[st.IsDir()], "path already exists")
			return
		}
		uid, gid := owner(user)
		os.MkdirAll(p, 0o755)
		os.Chown(p, uid, gid)
		m, _ := entry(p)
		reply(w, 200, M{"entry": m})
	case "Move":
		if err := os.Rename(abs(q.Source), abs(q.Destination)); err != nil {
			rpcFail(w, false, 404, "not_found", err.Error())
			return
		}
		m, _ := entry(abs(q.Destination))
		reply(w, 200, M{"entry": m})
	case "Remove":
		os.RemoveAll(abs(q.Path))
		reply(w, 200, M{})
	default:
		rpcFail(w, stream, 501, "unimplemented", op+" is not done here")
	}
}

func (e *miniEnvd) find(pid int, tag string) *mproc {
	e.mu.Lock()
	defer e.mu.Unlock()
	if p := e.procs[pid]; p != nil {
		return p
	}
	for _, p := range e.procs {
		if tag != "" && p.tag == tag {
			return p
		}
	}
	return nil
}

func (p *mproc) send(m M) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.subs {
		select {
		case c <- m:
		default: // a follower that does not read loses output rather than stalling the process
		}
	}
}

func (p *mproc) follow(w http.ResponseWriter, r *http.Request, ch chan M, pid int) {
	defer func() { p.mu.Lock(); delete(p.subs, ch); p.mu.Unlock() }()
	w.Header().Set("Content-Type", "application/connect+json")
	w.WriteHeader(200)
	frame(w, 0, M{"event": M{"start": M{"pid": pid}}})
	every := atoi(r.Header.Get("Keepalive-Ping-Interval"))
	if every <= 0 {
		every = 90
	}
	t := time.NewTicker(time.Duration(every) * time.Second)
	defer t.Stop()
	for {
		select {
		case <-r.Context().Done():
			return
		case <-t.C:
			frame(w, 0, M{"event": M{"keepalive": M{}}})
		case m := <-ch:
			if frame(w, 0, m) != nil {
				return
			}
			if ev, _ := m["event"].(M); ev["end"] != nil {
				frame(w, 2, M{})
				return
			}
		}
	}
}
