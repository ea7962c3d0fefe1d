package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

const mcpAccept = "application/json, text/event-stream"

func (s *sandbox) putMCP(name string, change settings) answer {
	s.t.Helper()
	definition := settings{"command": []string{os.Args[0]}, "env": settings{runAsMCP: "yes"}}
	for key, value := range change {
		definition[key] = value
	}
	raw, err := json.Marshal(definition)
	must(s.t, err)
	request := s.request(http.MethodPut, "/v1/mcp-servers/"+name, string(raw))
	request.Header.Set("Content-Type", "application/json")
	return s.do(request)
}

func (s *sandbox) defineMCP(name string, change settings) {
	s.t.Helper()
	if got := s.putMCP(name, change); got.status != http.StatusCreated {
		s.t.Fatalf("%d %s", got.status, got.body)
	}
}

type mcpServer struct {
	Name, Sharing, State, Error string
	Sessions                    int
	IgnoredLines                int64 `json:"ignored_lines"`
}

func (s *sandbox) mcpServer(name string) mcpServer {
	s.t.Helper()
	var list struct{ Items []mcpServer }
	must(s.t, json.Unmarshal(s.get("/v1/mcp-servers").body, &list))
	for _, one := range list.Items {
		if one.Name == name {
			return one
		}
	}
	s.t.Fatalf("no %s in %+v", name, list)
	return mcpServer{}
}

// mcpClient is a session with a server.
type mcpClient struct {
	*sandbox
	name, session string
	last          int
}

// mcpMessage is what came from the server.
type mcpMessage struct {
	ID     json.RawMessage
	Method string
	Params struct {
		ProgressToken json.RawMessage
		Progress      float64
		Data          string
	}
	Result struct {
		Text       string
		Pid        int
		Answer     map[string]any
		ServerInfo struct{ Version string }
	}
	Error struct {
		Code    int
		Message string
	}
	event string
}

func (s *sandbox) mcp(name string) *mcpClient {
	s.t.Helper()
	c := &mcpClient{sandbox: s, name: name}
	response := c.send(s.t.Context(), `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	defer response.Body.Close()
	c.session = response.Header.Get("Mcp-Session-Id")
	got, _ := (&mcpStream{t: s.t, lines: bufio.NewScanner(response.Body)}).next()
	if c.session == "" || got.Result.ServerInfo.Version == "" {
		s.t.Fatalf("%d %q %+v", response.StatusCode, c.session, got)
	}
	c.tell(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

func (c *mcpClient) request(ctx context.Context, method, body string) *http.Request {
	c.t.Helper()
	request := c.sandbox.request(method, "/v1/mcp/"+c.name, body).WithContext(ctx)
	request.Header.Set("Authorization", "Bearer "+c.anything())
	request.Header.Set("Accept", mcpAccept)
	if c.session != "" {
		request.Header.Set("Mcp-Session-Id", c.session)
		request.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	}
	return request
}

func (c *mcpClient) send(ctx context.Context, body string) *http.Response {
	c.t.Helper()
	response, err := c.client.Do(c.request(ctx, http.MethodPost, body))
	must(c.t, err)
	return response
}

func (c *mcpClient) tell(body string) {
	c.t.Helper()
	response := c.send(c.t.Context(), body)
	defer response.Body.Close()
	if response.StatusCode != http.StatusAccepted {
		c.t.Fatal(response.StatusCode)
	}
}

// mcpStream is a stream of events that is read.
type mcpStream struct {
	t     *testing.T
	lines *bufio.Scanner
	close func()
}

func (c *mcpClient) stream(response *http.Response) *mcpStream {
	c.t.Helper()
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "text/event-stream" {
		c.t.Fatalf("%d %v", response.StatusCode, response.Header)
	}
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 16<<20)
	stream := &mcpStream{c.t, lines, func() { _ = response.Body.Close() }}
	c.t.Cleanup(stream.close)
	return stream
}

// begin calls a tool.
func (c *mcpClient) begin(tool, arguments string) *mcpStream {
	c.t.Helper()
	c.last++
	return c.stream(c.send(c.t.Context(), fmt.Sprintf(
		`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{"progressToken":"p%d"}}}`, c.last, tool, arguments, c.last)))
}

func (c *mcpClient) listen(after string) *mcpStream {
	c.t.Helper()
	request := c.request(c.t.Context(), http.MethodGet, "")
	if after != "" {
		request.Header.Set("Last-Event-Id", after)
	}
	response, err := c.client.Do(request)
	must(c.t, err)
	return c.stream(response)
}

// next is the next message; false at the stream's end. An event without a message has only its id.
func (m *mcpStream) next() (got mcpMessage, more bool) {
	m.t.Helper()
	for m.lines.Scan() {
		line := m.lines.Text()
		if id, found := strings.CutPrefix(line, "id: "); found {
			got.event = id
		} else if data, found := strings.CutPrefix(line, "data: "); found && data != "" {
			must(m.t, json.Unmarshal([]byte(data), &got))
		} else if line == "" && got.event != "" {
			return got, true
		}
	}
	return got, false
}

// response skips what comes before the response.
func (m *mcpStream) response() mcpMessage {
	m.t.Helper()
	for {
		got, more := m.next()
		if !more {
			m.t.Fatal("the stream ended without a response")
		}
		if got.Method == "" && len(got.ID) > 0 {
			return got
		}
	}
}

func TestMCPClientsShareOneProcess(t *testing.T) {
	s := start(t)
	s.defineMCP("probe", nil)
	clients := []*mcpClient{s.mcp("probe"), s.mcp("probe"), s.mcp("probe")}
	var all sync.WaitGroup
	pids := make([]int, len(clients))
	for i, c := range clients {
		all.Go(func() {
			for round := range 50 {
				text := fmt.Sprintf("%d/%d", i, round)
				got := c.begin("echo", fmt.Sprintf(`{"text":%q}`, text)).response()
				if got.Result.Text != text || string(got.ID) != fmt.Sprint(c.last) {
					t.Errorf("%+v", got)
				}
				pids[i] = got.Result.Pid
			}
		})
	}
	all.Wait()
	if pids[0] == 0 || pids[0] != pids[1] || pids[1] != pids[2] {
		t.Fatal(pids)
	}
	if got := s.mcpServer("probe"); got.Sessions != 3 || got.State != "running" || got.Sharing != "shared" {
		t.Fatalf("%+v", got)
	}
}

func TestMCPClientsOwnTheirProcesses(t *testing.T) {
	s := start(t)
	s.defineMCP("own", settings{"sharing": "owned"})
	first, second := s.mcp("own"), s.mcp("own")
	one, two := first.begin("echo", `{}`).response().Result.Pid, second.begin("echo", `{}`).response().Result.Pid
	if one == two {
		t.Fatal(one)
	}
	asks := first.begin("ask", `{}`)
	question, _ := asks.next() // without a priming event in between: it comes first
	if question.event != "" && question.Method == "" {
		question, _ = asks.next()
	}
	if question.Method != "sampling/createMessage" {
		t.Fatalf("%+v", question)
	}
	first.tell(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"model":"m"}}`, question.ID))
	if got := asks.response(); got.Result.Answer["model"] != "m" {
		t.Fatalf("%+v", got)
	}
	if got := first.do(first.request(t.Context(), http.MethodDelete, "")); got.status != http.StatusNoContent {
		t.Fatal(got.status)
	}
	eventually(t, "its process has ended", func() bool { return !exists(fmt.Sprintf("/proc/%d", one)) })
	if got := first.do(first.request(t.Context(), http.MethodDelete, "")); got.status != http.StatusNotFound || got.problem(t) != "NOT_FOUND" {
		t.Fatal(got.status)
	}
	if second.begin("echo", `{"text":"still"}`).response().Result.Text != "still" {
		t.Fatal("the other one is gone too")
	}
}

func TestMCPProgressGoesToItsRequest(t *testing.T) {
	for _, sharing := range []string{"shared", "owned"} {
		t.Run(sharing, func(t *testing.T) {
			s := start(t)
			s.defineMCP("probe", settings{"sharing": sharing})
			c := s.mcp("probe")
			stream := c.begin("progress", `{}`)
			for want := 0; want < 3; {
				got, more := stream.next()
				if !more {
					t.Fatal("the stream ended")
				}
				if got.Method == "" {
					continue
				}
				if string(got.Params.ProgressToken) != `"p1"` || int(got.Params.Progress) != want {
					t.Fatalf("%+v", got)
				}
				want++
			}
			stream.response()
			if _, more := stream.next(); more {
				t.Fatal("something follows the response")
			}
		})
	}
}

func TestMCPStreamIsResumed(t *testing.T) {
	s := start(t)
	s.defineMCP("probe", nil)
	c := s.mcp("probe")
	stream := c.begin("slow", `{"text":"late","size":300}`)
	primed, _ := stream.next()
	stream.close() // before anything came
	if primed.event == "" {
		t.Fatal("no event to resume from")
	}
	if got := c.listen(primed.event).response(); !strings.HasPrefix(got.Result.Text, "late") {
		t.Fatalf("%+v", got)
	}
	// The response is still there for one who was cut off while it was sent.
	if got := c.listen(primed.event).response(); !strings.HasPrefix(got.Result.Text, "late") {
		t.Fatalf("%+v", got)
	}
	request := c.request(t.Context(), http.MethodGet, "")
	request.Header.Set("Last-Event-Id", "99-1")
	if got := s.do(request); got.status != http.StatusNotFound {
		t.Fatal(got.status)
	}
	request.Header.Set("Last-Event-Id", "x")
	if got := s.do(request); got.status != http.StatusBadRequest {
		t.Fatal(got.status)
	}
}

func TestMCPRequestIsCancelled(t *testing.T) {
	for _, sharing := range []string{"shared", "owned"} {
		t.Run(sharing, func(t *testing.T) {
			s := start(t)
			s.defineMCP("probe", settings{"sharing": sharing})
			c := s.mcp("probe")
			news := c.listen("")
			stream := c.begin("hold", `{}`)
			c.tell(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
			for {
				got, more := stream.next()
				if !more {
					break
				}
				if len(got.ID) > 0 {
					t.Fatalf("%+v", got)
				}
			}
			if got, _ := news.next(); got.Params.Data != "cancelled" {
				t.Fatalf("%+v", got)
			}
		})
	}
}

func TestMCPNewsReachAllThatListen(t *testing.T) {
	s := start(t)
	s.defineMCP("probe", nil)
	first, second := s.mcp("probe"), s.mcp("probe")
	old := first.listen("")
	streams := []*mcpStream{first.listen(""), second.listen("")}
	if _, more := old.next(); more {
		t.Fatal("the stream that another took the place of goes on")
	}
	second.begin("changed", `{}`).response()
	for _, stream := range streams {
		if got, _ := stream.next(); got.Method != "notifications/tools/list_changed" {
			t.Fatalf("%+v", got)
		}
	}
}

func TestMCPServerThatEndsIsStartedAgain(t *testing.T) {
	s := start(t)
	s.defineMCP("probe", nil)
	c := s.mcp("probe")
	before := c.begin("echo", `{}`).response().Result.Pid
	held := c.begin("hold", `{}`)
	for _, stream := range []*mcpStream{c.begin("exit", `{}`), held} {
		if got := stream.response(); !strings.Contains(got.Error.Message, "exited with code 7") || !strings.Contains(got.Error.Message, "the disk is on fire") {
			t.Fatalf("%+v", got)
		}
	}
	if after := c.begin("echo", `{"text":"again"}`).response().Result; after.Text != "again" || after.Pid == before {
		t.Fatalf("%+v", after)
	}
	own := s
	own.defineMCP("own", settings{"sharing": "owned"})
	mine := own.mcp("own")
	mine.begin("exit", `{}`).response()
	eventually(t, "its session has ended", func() bool { return own.mcpServer("own").Sessions == 0 })
	response := mine.send(t.Context(), `{"jsonrpc":"2.0","id":9,"method":"ping"}`)
	defer response.Body.Close()
	if response.StatusCode != http.StatusNotFound {
		t.Fatal(response.StatusCode)
	}
}

func TestMCPServerThatNeverRuns(t *testing.T) {
	s := start(t)
	s.defineMCP("exits", settings{"env": settings{runAsMCP: "exits"}})
	c := &mcpClient{sandbox: s, name: "exits"}
	response := c.send(t.Context(), `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`)
	got := c.stream(response).response()
	if !strings.Contains(got.Error.Message, "exited with code 3") || !strings.Contains(got.Error.Message, "no configuration found") {
		t.Fatalf("%+v", got)
	}
	eventually(t, "its session is gone", func() bool { return s.mcpServer("exits").Sessions == 0 })
	s.defineMCP("mute", settings{"env": settings{runAsMCP: "mute"}, "start_seconds": 1})
	mute := &mcpClient{sandbox: s, name: "mute"}
	got = mute.stream(mute.send(t.Context(), `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`)).response()
	if !strings.Contains(got.Error.Message, "answer") || !strings.Contains(got.Error.Message, "initialize") {
		t.Fatalf("%+v", got)
	}
	for what, change := range map[string]settings{
		"not found": {"command": []string{"no-such-program"}}, "empty": {"command": []string{}},
		"sharing": {"sharing": "both"}, "sessions": {"max_sessions": -1}, "idle": {"idle_seconds": 1 << 30}, "start": {"start_seconds": 601}, "unknown": {"x": 1},
	} {
		if got := s.putMCP("bad", change); got.status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", what, got.status, got.body)
		}
	}
	if got := s.putMCP(strings.Repeat("n", 49), nil); got.status != http.StatusBadRequest {
		t.Error(got.status)
	}
}

func TestMCPServerThatPrintsGarbageOrFloods(t *testing.T) {
	s := start(t)
	s.defineMCP("probe", nil)
	c := s.mcp("probe")
	if got := c.begin("garbage", `{"text":"ok"}`).response(); got.Result.Text != "ok" {
		t.Fatalf("%+v", got)
	}
	if got := s.mcpServer("probe"); got.IgnoredLines != 2 {
		t.Fatalf("%+v", got)
	}
	if got := c.begin("flood", `{"text":"ok"}`).response(); got.Result.Text != "ok" { // 3 MB of news before it
		t.Fatalf("%+v", got)
	}
	if got := c.begin("echo", `{"size":2000000}`).response(); !strings.Contains(got.Error.Message, "limits.json_bytes") {
		t.Fatalf("%+v", got)
	}
	if got := c.begin("echo", `{"size":900000}`).response(); len(got.Result.Text) != 900_000 {
		t.Fatal(len(got.Result.Text), got.Error)
	}
}

func TestMCPBadRequests(t *testing.T) {
	s := start(t)
	s.defineMCP("probe", settings{"max_sessions": 2})
	c := s.mcp("probe")
	s.mcp("probe")
	const ping = `{"jsonrpc":"2.0","id":5,"method":"ping"}`
	initialize := `{"jsonrpc":"2.0","id":5,"method":"initialize","params":{}}`
	cases := map[string]struct {
		status int
		body   string
		change func(*http.Request)
	}{
		"not JSON":          {400, `{`, nil},
		"a batch":           {400, `[` + ping + `]`, nil},
		"no version":        {400, `{"id":1,"method":"ping"}`, nil},
		"neither":           {400, `{"jsonrpc":"2.0"}`, nil},
		"an object as id":   {400, `{"jsonrpc":"2.0","id":{},"method":"ping"}`, nil},
		"a long id":         {400, `{"jsonrpc":"2.0","id":"` + strings.Repeat("i", 300) + `","method":"ping"}`, nil},
		"result and error":  {400, `{"jsonrpc":"2.0","id":1,"result":{},"error":{}}`, nil},
		"too large":         {413, `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"` + strings.Repeat("a", 1<<20) + `"}}`, nil},
		"no session":        {400, ping, func(r *http.Request) { r.Header.Del("Mcp-Session-Id") }},
		"another session":   {404, ping, func(r *http.Request) { r.Header.Set("Mcp-Session-Id", "mcp_x") }},
		"a third session":   {429, initialize, func(r *http.Request) { r.Header.Del("Mcp-Session-Id") }},
		"JSON alone":        {406, ping, func(r *http.Request) { r.Header.Set("Accept", "application/json") }},
		"no JSON":           {415, ping, func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }},
		"another server":    {404, ping, func(r *http.Request) { r.URL.Path = "/v1/mcp/other" }},
		"another method":    {405, ping, func(r *http.Request) { r.Method = http.MethodPut }},
		"without a token":   {401, ping, func(r *http.Request) { r.Header["Authorization"] = []string{} }},
		"with a poor token": {403, ping, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+s.token("exec")) }},
	}
	for what, bad := range cases {
		request := c.request(t.Context(), http.MethodPost, bad.body)
		if bad.change != nil {
			bad.change(request)
		}
		if got := s.do(request); got.status != bad.status || got.problem(t) == "" {
			t.Errorf("%s: %d %s", what, got.status, got.body)
		}
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		request := c.request(t.Context(), method, "")
		request.Header.Del("Mcp-Session-Id")
		if got := s.do(request); got.status != http.StatusBadRequest || got.problem(t) != "VALIDATION" {
			t.Errorf("%s without a session: %d %s", method, got.status, got.body)
		}
	}
	if got := c.begin("echo", `{"text":"well"}`).response(); got.Result.Text != "well" {
		t.Fatalf("%+v", got)
	}
	held := c.begin("hold", `{}`)
	defer held.close()
	if got := s.do(c.request(t.Context(), http.MethodPost, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, c.last))); got.status != http.StatusConflict {
		t.Errorf("the same id twice: %d %s", got.status, got.body)
	}
}

func TestMCPDefinitionIsReplaced(t *testing.T) {
	s := start(t)
	s.defineMCP("probe", nil)
	c := s.mcp("probe")
	pid := c.begin("echo", `{}`).response().Result.Pid
	if got := s.putMCP("probe", nil); got.status != http.StatusOK || c.begin("echo", `{}`).response().Result.Pid != pid {
		t.Fatalf("the same again: %d %s", got.status, got.body)
	}
	s.defineMCP("probe", settings{"idle_seconds": 60})
	eventually(t, "its process has ended", func() bool { return !exists(fmt.Sprintf("/proc/%d", pid)) })
	if s.mcpServer("probe").Sessions != 0 {
		t.Fatal("its session lives")
	}
	s.end("mcp-probe") // as a managed process
	eventually(t, "it has ended", func() bool { return s.mcpServer("probe").State == "ended" })
	s.defineMCP("probe", settings{"idle_seconds": 60})
	s.mcp("probe")
	for _, status := range []int{http.StatusNoContent, http.StatusNotFound} {
		if got := s.do(s.request(http.MethodDelete, "/v1/mcp-servers/probe", "")); got.status != status {
			t.Fatal(got.status)
		}
	}
}

func TestMCPSessionEndsUnused(t *testing.T) {
	s := start(t)
	s.defineMCP("own", settings{"sharing": "owned", "idle_seconds": 1})
	c := s.mcp("own")
	listens := c.listen("")
	pid := c.begin("echo", `{}`).response().Result.Pid
	begun := time.Now()
	for time.Since(begun) < 1500*time.Millisecond { // while it listens, it is used
		if s.mcpServer("own").Sessions != 1 {
			t.Fatal("it ended while its client listened")
		}
	}
	listens.close()
	eventually(t, "the session has ended", func() bool { return s.mcpServer("own").Sessions == 0 })
	eventually(t, "its process has ended", func() bool { return !exists(fmt.Sprintf("/proc/%d", pid)) })
}
