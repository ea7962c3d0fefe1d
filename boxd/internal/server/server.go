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
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"dev.sandboxer/boxd/internal/auth"
	"dev.sandboxer/boxd/internal/config"
	"dev.sandboxer/boxd/internal/process"
	"dev.sandboxer/boxd/internal/threads"
	"dev.sandboxer/boxd/internal/web"
)

const (
	headerTime = 10 * time.Second
	idleTime   = 10 * time.Minute // longer than the relay's pool keeps a connection, which so never meets one just closed
	grace      = 5 * time.Second
	lastWords  = 500 * time.Millisecond
	endingTime = 15 * time.Second

	headerFactor = 4
	heapGoal     = 40 << 20 // what the garbage collector tries to stay under
)

// Options of a run.
type Options struct {
	Config  config.Config
	Listen  string
	Ports   map[int]string // of the port door that are addresses elsewhere in the sandbox's network
	Version string
	Seccomp Seccomp
	Log     *slog.Logger
}

// Seccomp installs filters of system calls; nil for none.
type Seccomp struct {
	Everywhere func() error            // on all of boxd, and so on all commands
	Here       func(highest int) error // on the calling thread: no signals to the processes and threads from 1 to highest
}

// prepare runs on the thread that starts commands, before the first of them.
func (o Options) prepare() error {
	threads.Make()
	if o.Seccomp.Here == nil || os.Getpid() != 1 {
		return nil
	}
	return o.Seccomp.Here(threads.Highest())
}

// Run serves until the deadline, a shutdown or SIGTERM, and returns once every process of the sandbox is gone.
func Run(o Options) error {
	image := process.ImageEnv(os.Environ()) // harden takes it from boxd itself
	if err := harden(); err != nil {
		return err
	}
	debug.SetMemoryLimit(heapGoal)
	if o.Seccomp.Everywhere != nil {
		if err := o.Seccomp.Everywhere(); err != nil {
			return err
		}
	}
	verifier, err := auth.NewVerifier(o.Config, time.Now)
	if err != nil {
		return err
	}
	listener, err := Listen(o.Listen)
	if err != nil {
		return err
	}
	p := newParts(o, verifier, image)
	return serve(o, p.handler(o, verifier, listener), listener, p)
}

func serve(o Options, handler http.Handler, listener net.Listener, p *parts) error {
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    headerFactor * int(o.Config.Limits.HeaderBytes), // the router answers what is between with an error of ours
		ErrorLog:          log.New(io.Discard, "", 0),                      // it would print what clients send
	}
	go p.ending.onSignal()
	failed := make(chan error, 1)
	go func() {
		failed <- server.Serve(web.LimitConnections(listener, func() int { return p.limits.Get().Connections }, o.Config.TLS.Server()))
	}()
	o.Log.Info("listening", "event", "listening", "version", o.Version, "sandbox_id", o.Config.SandboxID, "generation", o.Config.Generation,
		"address", where(listener), "tls", o.Config.TLS != nil)
	select {
	case err := <-failed:
		p.table.Close(0)
		return err
	case reason := <-p.ending.reason:
		o.Log.Info("ending", "event", "ending", "reason", reason, "sandbox_id", o.Config.SandboxID)
		return end(server, p.table, reason)
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
