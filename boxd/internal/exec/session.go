package exec

import (
	"context"
	"time"

	"dev.sandboxer/boxd/internal/frames"
	"dev.sandboxer/boxd/internal/managed"
	"dev.sandboxer/boxd/internal/problem"
	"dev.sandboxer/boxd/internal/process"
	"dev.sandboxer/boxd/internal/run"
	"dev.sandboxer/boxd/internal/socket"
	"dev.sandboxer/boxd/internal/web"
)

const startTime = 60 * time.Second

// session is one WebSocket with at most one command.
type session struct {
	routes   *routes
	conn     *socket.Conn
	complete func(*frames.Start) // fills in what the route lets a client leave out
	command  *run.Running
	input    *run.Input
}

func (s *session) serve() {
	start, ok := s.awaitStart()
	if !ok {
		return
	}
	if err := s.begin(start); err != nil {
		s.conn.Fail(err)
		s.conn.Close()
	}
}

// awaitStart answers frames until one wants to begin a command.
func (s *session) awaitStart() (*frames.Start, bool) {
	ctx, cancel := context.WithTimeout(s.conn.Context(), startTime)
	defer cancel()
	for {
		switch frame := s.conn.Read(ctx).(type) {
		case nil:
			return nil, false
		case frames.Start:
			s.complete(&frame)
			return &frame, true
		case frames.Close:
			s.conn.Close()
			return nil, false
		default:
			s.conn.Fail(problem.New(problem.InvalidState, "nothing runs yet; send start first"))
		}
	}
}

// begin starts the command and serves it to its end, or to the client's.
func (s *session) begin(start *frames.Start) error {
	command := run.Command{Command: start.Command, Cwd: start.Cwd, Env: start.Env, Stdin: true}
	if start.TTY != nil {
		size, err := managed.TerminalSize(*start.TTY)
		if err != nil {
			return err
		}
		command.TTY = &size
	}
	timeout, err := timeoutOf(start.TimeoutMS, 0)
	if err != nil {
		return err
	}
	if start.ProcessID == "" {
		start.ProcessID = web.NewID("prc_")
	}
	if err := managed.CheckID(start.ProcessID); err != nil {
		return err
	}
	switch start.OnDisconnect {
	case "", "kill":
		return s.own(command, start.ProcessID, timeout)
	case "keep":
		return s.keep(managed.Spec{ID: start.ProcessID, Command: command, Timeout: timeout})
	}
	return problem.New(problem.Validation, "on_disconnect is %.40q, must be kill or keep", start.OnDisconnect)
}

// keep makes the command a managed process, at which this client is the first.
func (s *session) keep(spec managed.Spec) error {
	kept, err := s.routes.kept.StartHeld(spec, s.conn)
	if err != nil {
		return err
	}
	kept.Serve(s.conn)
	return nil
}

// own runs a command that does not outlive the connection.
func (s *session) own(command run.Command, id string, timeout time.Duration) error {
	var err error
	if s.command, err = s.routes.runner.Start(command); err != nil {
		return err
	}
	s.input = s.command.Input()
	life, kill := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.pipe(life, id, timeout)
	}()
	s.obey()
	s.conn.Drop()
	kill()
	<-ended
	return nil
}

// pipe moves the command's output to the client, then says how it ended and closes.
func (s *session) pipe(life context.Context, id string, timeout time.Duration) {
	_ = s.conn.Send(frames.Ready{ProcessID: id, Pid: s.command.Process.Pid}.Encode())
	s.command.Pump(s.conn.Output(frames.Stdout, 0), s.conn.Output(frames.Stderr, 0))
	exit := s.command.Wait(life, timeout)
	_ = s.conn.Send(frames.Ended(exit))
	s.conn.Close()
}

// obey does what the client's frames say until it closes or goes away.
func (s *session) obey() {
	for {
		frame := s.conn.Read(s.conn.Context())
		if _, closing := frame.(frames.Close); frame == nil || closing {
			return
		}
		if err := s.do(frame); err != nil {
			s.conn.Fail(err)
		}
	}
}

func (s *session) do(frame any) error {
	switch frame := frame.(type) {
	case frames.Stdin:
		s.input.Put(frame.Data, s.conn.Alive)
		if frame.EOF {
			s.input.End(s.conn.Alive)
		}
	case frames.Signal:
		signal, known := process.SignalByName(frame.Name)
		if !known {
			return problem.New(problem.Validation, "signal %.40q is unknown; for example TERM, INT, KILL, HUP", frame.Name)
		}
		s.command.Signal(signal)
	case frames.Resize:
		size, err := managed.TerminalSize(frame)
		if err != nil {
			return err
		}
		if !s.command.Resize(size) {
			return problem.New(problem.InvalidState, "the command has no terminal to resize")
		}
	case frames.Start:
		return problem.New(problem.InvalidState, "a command was started on this connection already; open another for the next")
	}
	return nil
}
