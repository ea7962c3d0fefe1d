package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// until reads until the terminal has shown what is wanted.
func (w *socketClient) until(shows string) {
	w.t.Helper()
	for !strings.Contains(w.stdout.String(), shows) {
		kind, raw, err := w.read()
		if err != nil {
			w.t.Fatalf("%v before %q was shown, but %q", err, shows, w.stdout.String())
		}
		if kind == 2 {
			w.stdout.Write(raw[1:])
			continue
		}
		if frame := frameOf(w.t, raw); !w.collect(frame) && frame["type"] != "ready" {
			w.t.Fatalf("%v before %q was shown, but %q", frame, shows, w.stdout.String())
		}
	}
}

func (w *socketClient) keys(text string) {
	w.t.Helper()
	raw, err := json.Marshal(settings{"type": "stdin", "data": text})
	must(w.t, err)
	w.text(string(raw))
}

func (s *sandbox) shellWith(t *testing.T, start string, protocols ...string) *socketClient {
	t.Helper()
	w := s.at(t, "/v1/shell/ws", protocols...)
	w.text(`{"type":"start","env":{"PS1":"ready> ","HOME":"/nowhere"}` + start + `}`)
	w.expect("ready")
	return w
}

func TestShellHasATerminalOfTheWantedSize(t *testing.T) {
	s := start(t)
	for _, protocol := range []string{"", "sandboxer.v1.binary"} {
		w := s.shellWith(t, `,"command":["/bin/sh"],"tty":{"cols":101,"rows":37}`, protocol)
		w.until("ready> ")
		w.keys("stty size; tty; echo $TERM\n")
		w.until("37 101\r\n/dev/pts/")
		w.until("xterm-256color\r\n")
		w.text(`{"type":"resize","cols":55,"rows":11}`)
		w.keys("stty size\n")
		w.until("11 55\r\n")
		w.keys("exit 7\n")
		if exit := w.untilExit(); exit["exit_code"] != 7.0 || w.stderr.Len() > 0 {
			t.Fatal(exit, w.stderr.String())
		}
	}
}

func TestShellNeedsNoCommand(t *testing.T) {
	s := start(t)
	w := s.shellWith(t, "")
	w.keys("stty size; echo $((6*7)) done\n")
	w.until("24 80\r\n42 done\r\n")
	w.keys("exit 5\n")
	if exit := w.untilExit(); exit["exit_code"] != 5.0 {
		t.Fatal(exit)
	}
}

func TestShellEndOfInputFrameIsTheTerminals(t *testing.T) {
	s := start(t)
	w := s.shellWith(t, `,"command":["cat"]`)
	w.keys("line\n")
	w.until("line\r\nline\r\n")
	w.text(`{"type":"stdin","eof":true}`)
	if exit := w.untilExit(); exit["exit_code"] != 0.0 {
		t.Fatal(exit)
	}
}

func TestShellCtrlCReachesTheForegroundProgram(t *testing.T) {
	s := start(t)
	w := s.shellWith(t, `,"command":["/bin/bash","--norc","--noprofile","-i"]`)
	w.until("ready> ")
	w.keys("sh -c 'trap \"echo caught; exit 3\" INT; echo wait''ing; while :; do sleep 0.01; done'; echo status $?\n")
	w.until("waiting\r\n")
	w.keys("\x03")
	w.until("caught\r\nstatus 3\r\n")
	w.keys("sh -c 'trap \"echo by name; exit 4\" TERM; echo again; while :; do sleep 0.01; done'; echo status $?\n")
	w.until("again\r\n")
	w.text(`{"type":"signal","name":"TERM"}`) // the program in front gets it, not the shell
	w.until("by name\r\nstatus 4\r\n")
	w.keys("exit\n")
	w.untilExit()
}

func TestShellTellsProgramsOfAResize(t *testing.T) {
	s := start(t)
	w := s.shellWith(t, `,"command":["sh","-c","trap 'stty size' WINCH; echo ready; while :; do sleep 0.01; done"]`)
	w.until("ready\r\n")
	w.text(`{"type":"resize","cols":200,"rows":50}`)
	w.until("50 200\r\n")
}

func TestFullScreenProgramsWork(t *testing.T) {
	s := start(t)
	w := s.shellWith(t, `,"command":["top"]`)
	w.until("PID")
	w.keys("q")
	if exit := w.untilExit(); exit["exit_code"] != 0.0 {
		t.Fatal(exit)
	}
	w = s.shellWith(t, `,"command":["vi","-u","NONE","note.txt"]`)
	w.until("~") // the lines after the end of an empty file
	w.keys("ihello from vi\x1b:wq\r")
	if exit := w.untilExit(); exit["exit_code"] != 0.0 || s.content("note.txt") != "hello from vi\n" {
		t.Fatal(exit)
	}
}

func TestShellThatLosesItsClientHangsUp(t *testing.T) {
	s := start(t)
	w := s.shellWith(t, `,"command":["/bin/bash","--norc","--noprofile","-i"]`)
	w.until("ready> ")
	w.keys("sh -c 'echo $$ > job; exec sleep 600' &\n")
	job := s.pidIn("job")
	w.keys("sh -c 'trap \"\" HUP TERM INT; echo $$ > front; while :; do sleep 0.01; done'\n")
	front := s.pidIn("front")
	shell := int(s.fieldOfStat(front, 1))
	_ = w.conn.CloseNow()
	eventually(t, "shell, job and program in front are gone", func() bool { return !alive(shell) && !alive(job) && !alive(front) })
}

func TestExecMayHaveATerminalToo(t *testing.T) {
	s := start(t)
	w := s.socketWith(t)
	w.text(`{"type":"start","command":"test -t 0 && test -t 1 && stty size; exit 5","tty":{"cols":9,"rows":8}}`)
	if exit := w.untilExit(); exit["exit_code"] != 5.0 || w.stdout.String() != "8 9\r\n" {
		t.Fatal(exit, w.stdout.String())
	}
}

func TestShellWantsItsOwnCapability(t *testing.T) {
	s := start(t)
	request := s.request("GET", "/v1/shell/ws", "")
	request.Header.Set("Authorization", "Bearer "+s.token("exec process"))
	request.Header.Set("Upgrade", "websocket")
	wantProblem(t, s.do(request), 403, "CAPABILITY_DENIED")
}

func TestTerminalOutputIsWhole(t *testing.T) {
	s := start(t)
	w := s.shellWith(t, `,"command":["sh","-c","seq 1 60000"]`)
	w.untilExit()
	if got := strings.Split(w.stdout.String(), "\r\n"); len(got) != 60_001 || got[59_999] != "60000" {
		t.Fatal(len(got))
	}
}

// A program that closes its terminal before it ends is not hung up, and one may open it again.
func TestTerminalThatNobodyHasOpenStays(t *testing.T) {
	s := start(t)
	w := s.shellWith(t, `,"command":["sh","-c","exec </dev/null >/dev/null 2>&1; sleep 0.1; echo again > /dev/tty; exit 6"]`)
	if exit := w.untilExit(); exit["exit_code"] != 6.0 || w.stdout.String() != "again\r\n" {
		t.Fatal(exit, w.stdout.String())
	}
}
