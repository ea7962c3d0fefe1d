package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestExecAnswersWithExitAndStreams(t *testing.T) {
	s := start(t)
	reply := s.exec(settings{"command": []string{"sh", "-c", "echo out; echo err >&2; exit 7"}})
	if *reply.ExitCode != 7 || reply.Signal != nil || reply.Stdout != "out\n" || reply.Stderr != "err\n" ||
		reply.StdoutEncoding != "utf-8" || reply.StderrEncoding != "utf-8" || reply.TimedOut || reply.DurationMS == nil {
		t.Fatalf("%+v", reply)
	}
}

func TestExecWebSocketRunsACommand(t *testing.T) {
	s := start(t)
	w := s.socketWith(t)
	w.text(`{"type":"start","command":"read line; echo got $line; exit 3"}`)
	w.expect("ready")
	w.text(`{"type":"stdin","data":"x\n"}`)
	exit := w.untilExit()
	if w.stdout.String() != "got x\n" || exit["exit_code"] != 3.0 || exit["signal"] != nil || exit["timed_out"] != false {
		t.Fatalf("%q %v", w.stdout.String(), exit)
	}
}

func frameOf(t *testing.T, raw []byte) map[string]any {
	t.Helper()
	var frame map[string]any
	if err := json.Unmarshal(raw, &frame); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return frame
}

func lines(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") }
