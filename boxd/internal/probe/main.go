// Package probe asks once whether something answers in the sandbox's network, for an extension that waits until it does.
package probe

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"
)

const usage = `usage: boxd probe tcp HOST:PORT | boxd probe http URL
  prints what was answered; the exit status is 0 if a connection is taken, or the status of the reply is 200 to 399
`

const (
	patience = 5 * time.Second
	mostBody = 200
)

// Main asks once. The answer is a line on stdout, and the exit status.
func Main(args []string) int {
	probes := map[string]func(context.Context, string) (string, bool){"tcp": connect, "http": get}
	if len(args) != 2 || probes[args[0]] == nil {
		fmt.Fprint(os.Stderr, usage)
		return 2
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	answer, good := probes[args[0]](ctx, args[1])
	fmt.Println(answer)
	if !good {
		return 1
	}
	return 0
}

func connect(ctx context.Context, address string) (string, bool) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return err.Error(), false
	}
	_ = conn.Close()
	return "connected", true
}

// get follows no redirect: that the program sends one is answer enough.
func get(ctx context.Context, url string) (string, bool) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err.Error(), false
	}
	request.Header.Set("User-Agent", "boxd-probe")
	reply, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(request) // no proxy: it would be asked instead
	if err != nil {
		return err.Error(), false
	}
	defer reply.Body.Close()
	if reply.StatusCode >= http.StatusOK && reply.StatusCode < http.StatusBadRequest {
		return reply.Status, true
	}
	body, _ := io.ReadAll(io.LimitReader(reply.Body, mostBody))
	return fmt.Sprintf("%s %q", reply.Status, body), false
}
