package control

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"os"
	"time"

	"dev.sandboxer/boxd/internal/config"
	"dev.sandboxer/boxd/internal/files"
	"dev.sandboxer/boxd/internal/problem"
	"dev.sandboxer/boxd/internal/process"
	"dev.sandboxer/boxd/internal/web"
)

// configuration is what a sandbox is told late: what is not known when it starts, or is nobody else's to read.
type configuration struct {
	Env             map[string]string `json:"env"`
	Files           []secretFile      `json:"files"`
	Limits          json.RawMessage   `json:"limits"`
	Identity        *identity         `json:"identity"`
	DeadlineSeconds *int64            `json:"deadline_seconds"`
}

type secretFile struct {
	Path    string   `json:"path"` // relative to the workspace, or absolute
	Content string   `json:"content"`
	Mode    string   `json:"mode"`  // octal; 0400 if empty
	After   []string `json:"after"` // the first of these files that can be read comes before the content
}

type identity struct {
	SandboxID  string `json:"sandbox_id"`
	Generation int64  `json:"generation"`
}

// configure checks everything first, then applies it; only writing the files can still fail after that.
func (r routes) configure(c *web.Call) error {
	var body configuration
	if err := r.read(c, &body); err != nil {
		return err
	}
	if err := process.CheckEnv(body.Env); err != nil {
		return problem.New(problem.Validation, "%v", err)
	}
	if body.DeadlineSeconds != nil {
		if err := checkDeadline(*body.DeadlineSeconds); err != nil {
			return err
		}
	}
	limits := r.limits.Get()
	if len(body.Limits) > 0 {
		var err error
		if limits, err = r.limits.Merge(body.Limits); err != nil {
			return problem.New(problem.Validation, "%v", err)
		}
	}
	if one := body.Identity; one != nil {
		if err := config.CheckIdentity(one.SandboxID, one.Generation); err != nil {
			return problem.New(problem.Validation, "identity: %v", err)
		}
	}
	for _, file := range body.Files {
		if err := file.write(r.state.workspace); err != nil {
			return err
		}
	}
	r.apply(body, limits)
	return c.NoContent()
}

func (r routes) apply(body configuration, limits config.Limits) {
	r.limits.Set(limits)
	if body.DeadlineSeconds != nil {
		r.state.setDeadline(time.Duration(*body.DeadlineSeconds) * time.Second)
	}
	if body.Identity != nil {
		r.state.identify(body.Identity.SandboxID, body.Identity.Generation)
	}
	r.state.configure(body.Env)
}

func (f secretFile) write(workspace string) error {
	content, err := base64.StdEncoding.DecodeString(f.Content)
	if err != nil {
		return problem.New(problem.Validation, "the content of file %.200q is not base64", f.Path)
	}
	mode := f.Mode
	if mode == "" {
		mode = "0400"
	}
	return files.Put(workspace, f.Path, mode, append(f.before(), content...))
}

const mostBefore = 4 << 20

// before is what the image has, such as its certificates; without any there is nothing to add to.
func (f secretFile) before() []byte {
	for _, path := range f.After {
		if text, err := readSome(path); err == nil {
			return text
		}
	}
	return nil
}

func readSome(path string) ([]byte, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, mostBefore))
	if err == nil && len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	return text, err
}
