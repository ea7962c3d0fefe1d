package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// ask runs boxd as an extension does in a sandbox.
func ask(args ...string) (said string, code int) {
	command := exec.Command(os.Args[0], append([]string{"probe"}, args...)...)
	command.Env = []string{runAsBoxd + "=1", "http_proxy=http://127.0.0.1:1"}
	out, _ := command.CombinedOutput()
	return string(out), command.ProcessState.ExitCode()
}

func TestProbesSayWhatWasAnswered(t *testing.T) {
	port := inside(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "/not-there", http.StatusFound)
		case "/not-yet":
			http.Error(w, "still reading\nits files", http.StatusServiceUnavailable)
		}
	})
	free, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	nobody := free.Addr().String()
	must(t, free.Close())
	server := fmt.Sprintf("127.0.0.1:%d", port)
	for _, one := range []struct {
		kind, target, says string
		code               int
	}{
		{"tcp", server, "connected\n", 0},
		{"tcp", nobody, "connection refused", 1},
		{"http", "http://" + server + "/", "200 OK\n", 0},
		{"http", "http://" + server + "/moved", "302 Found\n", 0},
		{"http", "http://" + server + "/not-yet", `503 Service Unavailable "still reading\nits files\n"` + "\n", 1},
		{"http", "http://" + nobody + "/", "connection refused", 1},
		{"udp", server, "usage", 2},
	} {
		said, code := ask(one.kind, one.target)
		if !strings.Contains(said, one.says) || code != one.code {
			t.Errorf("%s %s: %q, %d", one.kind, one.target, said, code)
		}
	}
}
