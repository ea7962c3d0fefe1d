// Package server puts boxd's parts together and runs it until the sandbox ends.
package server

import (
	"context"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"dev.sandboxer/boxd/internal/auth"
	"dev.sandboxer/boxd/internal/config"
	"dev.sandboxer/boxd/internal/control"
	"dev.sandboxer/boxd/internal/exec"
	"dev.sandboxer/boxd/internal/files"
	"dev.sandboxer/boxd/internal/process"
	"dev.sandboxer/boxd/internal/web"
)

const (
	headerTime = 10 * time.Second
	idleTime   = 10 * time.Minute // longer than the relay's pool keeps a connection, which so never meets one just closed
	grace      = 5 * time.Second
	lastWords  = 500 * time.Millisecond
	endingTime = 15 * time.Second
)

// Options of a run.
type Options struct {
	Config  config.Config
	Listen  string
	Version string
	Seccomp func() error // installs the system call filter; nil for none
	Log     *slog.Logger
}

// Run serves until the deadline, a shutdown or SIGTERM, and returns once every process of the sandbox is gone.
func Run(o Options) error {
	image := process.ImageEnv(os.Environ()) // harden takes it from boxd itself
	if err := harden(); err != nil {
		return err
	}
	if o.Seccomp != nil {
		if err := o.Seccomp(); err != nil {
			return err
		}
	}
	verifier, err := auth.NewVerifier(o.Config, time.Now)
	if err != nil {
		return err
	}
	ending := newEnding()
	state := control.NewState(time.Duration(o.Config.DeadlineSeconds)*time.Second, ending.because)
	table := process.NewTable()
	runner := exec.NewRunner(o.Config, table, state.Env, image)
	handler := web.NewRouter(routes(o, state, runner), verifier, state.Configured, o.Log)
	listener, err := Listen(o.Listen)
	if err != nil {
		return err
	}
	return serve(o, handler, listener, table, ending)
}

func routes(o Options, state *control.State, runner *exec.Runner) []web.Route {
	all := []web.Route{health(o)}
	all = append(all, control.Routes(state, o.Config.Limits)...)
	all = append(all, runner.Routes()...)
	return append(all, files.Routes(o.Config)...)
}

func health(o Options) web.Route {
	return web.Route{Method: http.MethodGet, Path: "/v1/health", Anytime: true, Handle: func(c *web.Call) error {
		return c.JSON(http.StatusOK, struct {
			Version    string `json:"version"`
			SandboxID  string `json:"sandbox_id"`
			Generation int64  `json:"generation"`
		}{o.Version, o.Config.SandboxID, o.Config.Generation})
	}}
}

func serve(o Options, handler http.Handler, listener net.Listener, table *process.Table, ending *ending) error {
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    o.Config.Limits.MaxHeaderBytes,
		ErrorLog:          log.New(io.Discard, "", 0), // it would print what clients send
	}
	go ending.onSignal()
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(web.LimitConnections(listener, o.Config.Limits.MaxConnections)) }()
	o.Log.Info("listening", "event", "listening", "version", o.Version, "sandbox_id", o.Config.SandboxID, "generation", o.Config.Generation)
	select {
	case err := <-failed:
		table.Close(0)
		return err
	case reason := <-ending.reason:
		o.Log.Info("ending", "event", "ending", "reason", reason, "sandbox_id", o.Config.SandboxID)
		return end(server, table, reason)
	}
}

func end(server *http.Server, table *process.Table, reason string) error {
	time.AfterFunc(endingTime, func() { os.Exit(1) }) // whatever hangs below must not make the sandbox immortal
	_ = server.Shutdown(within(0))                    // no new requests; running commands still get their exit
	if reason == "deadline" {
		table.Close(0)
	} else {
		table.Close(grace)
	}
	_ = server.Shutdown(within(lastWords))
	return nil
}

func within(d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	time.AfterFunc(d, cancel)
	return ctx
}

// ending takes the first reason to end the sandbox.
type ending struct {
	once   sync.Once
	reason chan string
}

func newEnding() *ending { return &ending{reason: make(chan string, 1)} }

func (e *ending) because(reason string) {
	e.once.Do(func() { e.reason <- reason })
}

func (e *ending) onSignal() {
	// A closed terminal, a log that nobody reads any more or a file size limit must not end the sandbox. Noted, not ignored:
	// an ignored signal would stay ignored in every command.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP, syscall.SIGPIPE, syscall.SIGXFSZ)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	<-signals
	e.because("signal")
}
