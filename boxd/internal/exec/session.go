package exec

import (
	"context"

	"github.com/coder/websocket"

	"dev.sandboxer/boxd/internal/frames"
	"dev.sandboxer/boxd/internal/problem"
	"dev.sandboxer/boxd/internal/process"
	"dev.sandboxer/boxd/internal/web"
)

// session is one WebSocket with at most one command. ctx ends when the connection does.
type session struct {
	runner *Runner
	conn   *websocket.Conn
	ctx    context.Context
	cancel context.CancelFunc
	binary bool
	run    *running
	input  *input
}

func (s *session) serve() {
	start, ok := s.awaitStart()
	if !ok {
		return
	}
	keep := start.OnDisconnect == "keep"
	life, kill := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer kill()
		s.pipe(life, start)
	}()
	s.obey()
	s.cancel()
	if !keep {
		kill()
		<-ended
	}
}

// awaitStart answers frames until a start frame has begun a command.
func (s *session) awaitStart() (frames.Start, bool) {
	ctx, cancel := context.WithTimeout(s.ctx, startTime)
	defer cancel()
	for {
		switch frame := s.read(ctx).(type) {
		case nil:
			return frames.Start{}, false
		case frames.Start:
			if err := s.begin(&frame); err != nil {
				s.fail(err)
				_ = s.conn.Close(websocket.StatusNormalClosure, "")
				return frames.Start{}, false
			}
			return frame, true
		case frames.Ping:
			_ = s.send(frames.Pong(frame.ID))
		case frames.Close:
			_ = s.conn.Close(websocket.StatusNormalClosure, "")
			return frames.Start{}, false
		default:
			s.fail(problem.New(problem.InvalidState, "nothing runs yet; send start first"))
		}
	}
}

func (s *session) begin(start *frames.Start) error {
	if err := check(start); err != nil {
		return err
	}
	run, err := s.runner.start(command{start.Command, start.Cwd, start.Env}, true)
	if err != nil {
		return err
	}
	s.run = run
	s.input = newInput(run.stdin, run.process.Done())
	return nil
}

func check(start *frames.Start) error {
	if len(start.TTY) > 0 && string(start.TTY) != "null" {
		return problem.New(problem.Validation, "tty is not supported on this route")
	}
	switch start.OnDisconnect {
	case "", "kill", "keep":
	default:
		return problem.New(problem.Validation, "on_disconnect is %.40q, must be kill or keep", start.OnDisconnect)
	}
	if start.ProcessID == "" {
		start.ProcessID = web.NewID("prc_")
	}
	if !processID.MatchString(start.ProcessID) {
		return problem.New(problem.Validation, "process_id %.80q is not 1 to 64 letters, digits, - or _", start.ProcessID)
	}
	_, err := timeoutOf(start.TimeoutMS, 0)
	return err
}

// pipe moves the command's output to the client, then says how it ended and closes.
func (s *session) pipe(life context.Context, start frames.Start) {
	timeout, _ := timeoutOf(start.TimeoutMS, 0)
	_ = s.send(frames.Ready(start.ProcessID, s.run.process.Pid))
	s.run.pump(s.sink(frames.Stdout), s.sink(frames.Stderr))
	exit := s.run.wait(life, timeout)
	_ = s.send(frames.Ended(exit))
	_ = s.conn.Close(websocket.StatusNormalClosure, "")
}

func (s *session) sink(stream frames.Stream) sink {
	if s.binary {
		return &binaryFrames{stream: stream, send: s.sendBinary}
	}
	return &textFrames{stream: stream, send: s.send}
}

// obey does what the client's frames say until it closes or goes away.
func (s *session) obey() {
	for {
		switch frame := s.read(s.ctx).(type) {
		case nil, frames.Close:
			return
		case frames.Stdin:
			s.feed(frame)
		case frames.Signal:
			s.signal(frame.Name)
		case frames.Ping:
			_ = s.send(frames.Pong(frame.ID))
		case frames.Resize:
			s.fail(problem.New(problem.InvalidState, "the command has no terminal to resize"))
		case frames.Start:
			s.fail(problem.New(problem.InvalidState, "a command was started on this connection already; open another for the next"))
		case frames.Auth:
			s.fail(problem.New(problem.InvalidState, "the connection is authenticated already"))
		}
	}
}

func (s *session) feed(frame frames.Stdin) {
	s.input.put(frame.Data, s.alive)
	if frame.EOF {
		s.input.end(s.alive)
	}
}

func (s *session) signal(name string) {
	signal, known := process.SignalByName(name)
	if !known {
		s.fail(problem.New(problem.Validation, "signal %.40q is unknown; for example TERM, INT, KILL, HUP", name))
		return
	}
	s.run.process.SignalGroup(signal)
}
