package exec

import (
	"encoding/json"
	"os"

	"dev.sandboxer/boxd/internal/auth"
	"dev.sandboxer/boxd/internal/frames"
	"dev.sandboxer/boxd/internal/socket"
	"dev.sandboxer/boxd/internal/web"
)

// exec runs one command over one WebSocket.
func (r *routes) exec(c *web.Call) error {
	return r.serve(c, auth.Exec, func(*frames.Start) {})
}

// shell is exec with a terminal, and a shell where no command is named.
func (r *routes) shell(c *web.Call) error {
	return r.serve(c, auth.Shell, func(start *frames.Start) {
		if start.TTY == nil {
			start.TTY = &frames.Resize{Cols: 80, Rows: 24}
		}
		if len(start.Command) == 0 || string(start.Command) == "null" {
			start.Command = usualShell()
		}
	})
}

func usualShell() json.RawMessage {
	for _, shell := range []string{"/bin/bash", "/usr/bin/bash"} {
		if info, err := os.Stat(shell); err == nil && info.Mode().IsRegular() {
			return json.RawMessage(`["` + shell + `"]`)
		}
	}
	return json.RawMessage(`["/bin/sh"]`)
}

func (r *routes) serve(c *web.Call, capability string, complete func(*frames.Start)) error {
	conn := socket.Accept(c, capability, r.limits.Get().JSONBytes)
	if conn == nil {
		return nil
	}
	defer conn.Drop()
	(&session{routes: r, conn: conn, complete: complete}).serve()
	return nil
}
