package jail_test

import (
	"encoding/json"
	"os/exec"
	"strings"
	"time"
)

// interrupted starts a launch and kills the launcher, as a crash would.
func interrupted(b *box, after time.Duration) {
	text, err := json.Marshal(b.spec)
	if err != nil {
		b.t.Fatal(err)
	}
	command := exec.Command(boxd, "jail", "launch")
	command.Stdin = strings.NewReader(string(text))
	if err := command.Start(); err != nil {
		b.t.Fatal(err)
	}
	timer := time.AfterFunc(after, func() { _ = command.Process.Kill() })
	defer timer.Stop()
	_ = command.Wait()
}
