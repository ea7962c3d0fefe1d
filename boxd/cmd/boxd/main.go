// Command boxd is the daemon inside each sandbox, and on the host the launcher of jails what makes and mounts volumes, and what copies folders.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"runtime"
	"strconv"
	"strings"

	"dev.sandboxer/boxd/internal/config"
	"dev.sandboxer/boxd/internal/connect"
	"dev.sandboxer/boxd/internal/copies"
	"dev.sandboxer/boxd/internal/install"
	"dev.sandboxer/boxd/internal/jail"
	"dev.sandboxer/boxd/internal/probe"
	"dev.sandboxer/boxd/internal/rlimits"
	"dev.sandboxer/boxd/internal/seccomp"
	"dev.sandboxer/boxd/internal/server"
)

var version = "0.1.0-dev" // set by the build

const (
	failed = 1
	misuse = 2
)

const usage = `usage:
  boxd serve --config PATH|--config-text JSON --listen fd:N|unix:PATH|tcp:ADDRESS:PORT [--port N=HOST:PORT]... [--rlimit NAME=N]... [--seccomp=on|off]
  boxd version
  boxd connect ...
  boxd jail ...
  boxd volume ...
  boxd copies ...
  boxd install ...
  boxd probe ...`

func main() {
	os.Exit(run(os.Args[1:]))
}

func run(args []string) int {
	if len(args) == 0 {
		fmt.Fprintln(os.Stderr, usage)
		return misuse
	}
	switch args[0] {
	case "serve":
		return serve(args[1:])
	case "version":
		fmt.Printf("boxd %s %s/%s\n", version, runtime.GOOS, runtime.GOARCH)
		return 0
	case "connect":
		return connect.Main(args[1:])
	case "jail":
		return jail.Main(args[1:])
	case "volume":
		return jail.VolumeMain(args[1:])
	case "copies":
		return copies.Main(args[1:])
	case "probe":
		return probe.Main(args[1:])
	case "install":
		return install.Main(args[1:])
	}
	fmt.Fprintf(os.Stderr, "boxd: unknown mode %q\n%s\n", args[0], usage)
	return misuse
}

func serve(args []string) int {
	options, err := parseServe(args)
	if err != nil {
		fmt.Fprintf(os.Stderr, "boxd: %v\n%s\n", err, usage)
		return misuse
	}
	if err := server.Run(options); err != nil {
		options.Log.Error("boxd failed", "event", "failed", "error", err.Error())
		return failed
	}
	return 0
}

func parseServe(args []string) (server.Options, error) {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	configPath := flags.String("config", "", "")
	configText := flags.String("config-text", "", "")
	listen := flags.String("listen", "", "")
	filter := flags.String("seccomp", "on", "")
	ports := map[int]string{}
	flags.Func("port", "", func(text string) error { return addPort(ports, text) })
	var limits []rlimits.Limit
	flags.Func("rlimit", "", func(text string) error {
		limit, err := rlimits.Parse(text)
		limits = append(limits, limit)
		return err
	})
	if err := flags.Parse(args); err != nil {
		return server.Options{}, err
	}
	if (*configPath == "") == (*configText == "") || *listen == "" || flags.NArg() > 0 {
		return server.Options{}, errors.New("serve needs --config or --config-text, and --listen, and takes no other words")
	}
	loaded, err := load(*configPath, *configText)
	if err != nil {
		return server.Options{}, err
	}
	if err := rlimits.Set(limits); err != nil {
		return server.Options{}, err
	}
	options := server.Options{Config: loaded, Listen: *listen, Ports: ports, Version: version, Log: slog.New(slog.NewJSONHandler(os.Stderr, nil))}
	switch *filter {
	case "on":
		options.Seccomp = server.Seccomp{Everywhere: seccomp.Install, Here: seccomp.Shield}
	case "off":
	default:
		return server.Options{}, fmt.Errorf("--seccomp is %q, must be on or off", *filter)
	}
	return options, nil
}

// addPort reads N=HOST:PORT.
func addPort(ports map[int]string, text string) error {
	number, address, _ := strings.Cut(text, "=")
	port, err := strconv.ParseUint(number, 10, 16)
	host, target, splitErr := net.SplitHostPort(address)
	if _, targetErr := strconv.ParseUint(target, 10, 16); err != nil || port == 0 || splitErr != nil || targetErr != nil || host == "" {
		return errors.New("must be N=HOST:PORT")
	}
	ports[int(port)] = address
	return nil
}

// load takes the configuration as a file, or as a word where no file can be brought in.
func load(path, text string) (config.Config, error) {
	if text != "" {
		return config.Parse([]byte(text))
	}
	return config.Load(path)
}
