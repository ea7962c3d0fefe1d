package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
)

const runAsMCP = "BOXD_TEST_MCP"

// probeMessage is a message as the server of the tests reads and writes it.
type probeMessage struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
}

func say(m probeMessage) {
	m.JSONRPC = "2.0"
	raw, _ := json.Marshal(m)
	fmt.Println(string(raw))
}

func note(method string, params any) {
	raw, _ := json.Marshal(params)
	say(probeMessage{Method: method, Params: raw})
}

// serveMCP is an MCP server over standard input and output, whose tools do what clients have to live with.
func serveMCP() {
	mode := os.Getenv(runAsMCP)
	if mode == "exits" {
		fmt.Fprintln(os.Stderr, "no configuration found")
		os.Exit(3)
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 16<<20)
	asked := map[string]json.RawMessage{}
	for lines.Scan() {
		var m struct {
			probeMessage
			Result json.RawMessage `json:"result"`
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			fmt.Fprintln(os.Stderr, "not JSON:", lines.Text())
			os.Exit(4)
		}
		switch {
		case mode == "mute":
		case m.Method == "initialize":
			var params struct{ ProtocolVersion string }
			_ = json.Unmarshal(m.Params, &params)
			say(probeMessage{ID: m.ID, Result: map[string]any{
				"protocolVersion": params.ProtocolVersion, "capabilities": map[string]any{"tools": map[string]any{}},
				"serverInfo": map[string]any{"name": "probe", "version": fmt.Sprint(os.Getpid())},
			}})
		case m.Method == "notifications/cancelled":
			note("notifications/message", map[string]any{"level": "info", "data": "cancelled"})
		case m.Method == "tools/call":
			call(m.probeMessage, asked)
		case m.Method == "" && asked[string(m.ID)] != nil:
			say(probeMessage{ID: asked[string(m.ID)], Result: map[string]any{"answer": m.Result}})
		case len(m.ID) > 0:
			say(probeMessage{ID: m.ID, Result: map[string]any{}})
		}
	}
}

func call(m probeMessage, asked map[string]json.RawMessage) {
	var params struct {
		Name      string
		Arguments struct {
			Text string
			Size int
		}
		Meta struct {
			ProgressToken json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	}
	_ = json.Unmarshal(m.Params, &params)
	switch params.Name {
	case "hold":
		return
	case "ask":
		asked[`"q1"`] = m.ID
		say(probeMessage{ID: json.RawMessage(`"q1"`), Method: "sampling/createMessage", Params: json.RawMessage("{}")})
		return
	case "exit":
		fmt.Fprintln(os.Stderr, "the disk is on fire")
		os.Exit(7)
	case "progress":
		for i := range 3 {
			note("notifications/progress", map[string]any{"progressToken": params.Meta.ProgressToken, "progress": i})
		}
	case "garbage":
		fmt.Println("Listening on port 8080")
		fmt.Println(`{"jsonrpc":"1.0"}`)
	case "changed":
		note("notifications/tools/list_changed", map[string]any{})
	case "flood":
		for range 20_000 {
			note("notifications/message", map[string]any{"level": "debug", "data": strings.Repeat("x", 100)})
		}
	case "slow":
		time.Sleep(time.Duration(params.Arguments.Size) * time.Millisecond)
	}
	say(probeMessage{ID: m.ID, Result: map[string]any{"text": params.Arguments.Text + strings.Repeat("é", params.Arguments.Size/2), "pid": os.Getpid()}})
}
