// Command boxd is a stand-in until the daemon itself is merged.
package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"dev.sandboxer/boxd/internal/jail"
	"dev.sandboxer/boxd/internal/seccomp"
	"golang.org/x/sys/unix"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "jail" {
		os.Exit(jail.Main(os.Args[2:]))
	}
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		serve()
		return
	}
	fmt.Println("boxd stand-in")
}

func serve() {
	listen, on := "", true
	for i, a := range os.Args {
		if a == "--listen" {
			listen = os.Args[i+1]
		}
		if a == "--seccomp=off" {
			on = false
		}
	}
	fd, err := strconv.Atoi(strings.TrimPrefix(listen, "fd:"))
	if err != nil {
		panic(err)
	}
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	l, err := net.FileListener(os.NewFile(uintptr(fd), "listener"))
	if err != nil {
		panic(err)
	}
	unix.CloseOnExec(fd)
	if on {
		if err := seccomp.Install(); err != nil {
			panic(err)
		}
	}
	http.HandleFunc("/v1/health", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, `{"version":"standin"}`) })
	http.HandleFunc("/quit", func(w http.ResponseWriter, r *http.Request) { os.Exit(3) })
	http.HandleFunc("/exec", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), 60*time.Second)
		defer cancel()
		argv := r.URL.Query()["a"]
		c := exec.CommandContext(ctx, argv[0], argv[1:]...)
		c.Env = []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/workspace", "TMPDIR=/tmp", "LANG=C.UTF-8"}
		if in := r.URL.Query().Get("stdin"); in != "" {
			b, _ := base64.StdEncoding.DecodeString(in)
			c.Stdin = strings.NewReader(string(b))
		}
		c.Stdin = r.Body
		out, err := c.CombinedOutput()
		code := 0
		if err != nil {
			code = c.ProcessState.ExitCode()
			if code == -1 {
				out = append(out, []byte("\n"+err.Error())...)
			}
		}
		w.Header().Set("X-Exit", strconv.Itoa(code))
		w.Write(out)
	})
	panic(http.Serve(l, nil))
}
