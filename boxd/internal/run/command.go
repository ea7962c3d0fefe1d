package run

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"dev.sandboxer/boxd/internal/problem"
	"dev.sandboxer/boxd/internal/process"
	"dev.sandboxer/boxd/internal/terminal"
)

const shell = "/bin/sh"

// Command is what a client asks to run, over HTTP and WebSocket alike.
type Command struct {
	Command json.RawMessage
	Cwd     string
	Env     map[string]string
	Stdin   bool           // its input is a pipe; else it is empty
	TTY     *terminal.Size // nil: no terminal
}

func (r *Runner) spec(c Command) (process.Spec, error) {
	argv, err := Argv(c.Command)
	if err != nil {
		return process.Spec{}, err
	}
	if err := process.CheckEnv(c.Env); err != nil {
		return process.Spec{}, problem.New(problem.Validation, "%v", err)
	}
	if strings.ContainsRune(c.Cwd, 0) {
		return process.Spec{}, problem.New(problem.Validation, "cwd holds a NUL")
	}
	folder := r.workspace
	if c.Cwd != "" {
		folder = absolute(r.workspace, c.Cwd)
	}
	base := r.base
	if c.TTY != nil {
		base = process.Env(base, map[string]string{"TERM": "xterm-256color"})
	}
	env := process.Env(process.WithSetup(process.Env(base, r.configured())), c.Env)
	program, err := find(argv[0], folder, env["PATH"])
	if err != nil {
		return process.Spec{}, err
	}
	return process.Spec{Path: program, Argv: argv, Dir: folder, Env: process.Pairs(env), TTY: c.TTY != nil}, nil
}

// Argv reads an argv array, or a string for the shell.
func Argv(raw json.RawMessage) ([]string, error) {
	var line string
	var argv []string
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return nil, problem.New(problem.Validation, `command is missing; for example {"command":["ls","-l"]} or {"command":"ls | wc -l"}`)
	case json.Unmarshal(raw, &line) == nil:
		argv = []string{shell, "-c", line}
	case json.Unmarshal(raw, &argv) != nil:
		return nil, problem.New(problem.Validation, "command must be an array of strings, or one string for %s", shell)
	}
	if len(argv) == 0 || argv[0] == "" {
		return nil, problem.New(problem.Validation, "command names no program")
	}
	for _, word := range argv {
		if strings.ContainsRune(word, 0) {
			return nil, problem.New(problem.Validation, "command holds a NUL")
		}
	}
	return argv, nil
}

// find returns what the kernel shall execute: a name without a slash is looked for in the command's own PATH.
func find(name, folder, path string) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	for _, dir := range filepath.SplitList(path) {
		if dir == "" {
			continue
		}
		candidate := filepath.Join(absolute(folder, dir), name)
		if info, err := os.Stat(candidate); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return candidate, nil
		}
	}
	return "", problem.New(problem.Validation, "program %.200q was not found in PATH %.500q", name, path)
}

func absolute(folder, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(folder, path)
}
