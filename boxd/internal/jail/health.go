package jail

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"time"
)

const healthRequest = "GET /v1/health HTTP/1.1\r\nHost: boxd\r\nConnection: close\r\n\r\n"

// health asks boxd once and lets the kernel wake it with the answer: the
// listener exists before boxd does, so the question waits in its queue.
func health(limit time.Duration) <-chan error {
	answer := make(chan error, 1)
	go func() { answer <- askHealth(limit) }()
	return answer
}

func askHealth(limit time.Duration) error {
	connection, err := net.DialTimeout("unix", socketName, limit)
	if err != nil {
		return err
	}
	defer connection.Close()
	if err := connection.SetDeadline(time.Now().Add(limit)); err != nil {
		return err
	}
	if _, err := connection.Write([]byte(healthRequest)); err != nil {
		return err
	}
	line, err := bufio.NewReaderSize(connection, 4096).ReadString('\n')
	if err == nil && !strings.HasPrefix(line, "HTTP/1.1 200") {
		err = fmt.Errorf("boxd answered %q", strings.TrimSpace(line))
	}
	return err
}
