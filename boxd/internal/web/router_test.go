package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http/httptest"
	"testing"
)

func TestLogNamesRequestAndTrace(t *testing.T) {
	const trace = "0af7651916cd43dd8448eb211c80319c"
	for header, want := range map[string]any{
		"00-" + trace + "-b7ad6b7169203331-01": trace,
		"":                                     nil,
		"00-" + trace + "-b7ad6b7169203331-01\nx":                     nil,
		"00-00000000000000000000000000000000-b7ad6b7169203331-01":     nil,
		"00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01":     nil,
		"00-" + trace + "-b7ad6b7169203331-01-and more than there is": nil,
	} {
		var log bytes.Buffer
		broken := Route{Method: "GET", Path: "/v1/broken", Anytime: true, Quiet: true, Handle: func(*Call) error { return errors.New("broken") }}
		router := NewRouter([]Route{broken}, nil, func() bool { return true }, nil, 1<<14, slog.New(slog.NewJSONHandler(&log, nil)))
		request := httptest.NewRequest("GET", "/v1/broken", nil)
		request.Header.Set("Traceparent", header)
		request.Header.Set("X-Request-Id", "req_1")
		router.ServeHTTP(httptest.NewRecorder(), request)
		var line map[string]any
		if err := json.Unmarshal(log.Bytes(), &line); err != nil {
			t.Fatal(err, log.String())
		}
		if line["trace_id"] != want || line["request_id"] != "req_1" || line["path"] != "/v1/broken" {
			t.Errorf("%q: %s", header, log.String())
		}
	}
}
