package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync/atomic"
)

// Limits bound what one sandbox's callers can make boxd hold. A profile sets each under limits, by the same name.
type Limits struct {
	Processes          int   `json:"processes"`            // commands and managed processes at once
	Connections        int   `json:"connections"`          // open sockets to boxd
	Watchers           int   `json:"watchers"`             // open watch streams
	WatchedFolders     int   `json:"watched_folders"`      // folders under all watch streams
	Searches           int   `json:"searches"`             // searches at once
	JSONBytes          int64 `json:"json_bytes"`           // a JSON body, a WebSocket frame
	HeaderBytes        int64 `json:"header_bytes"`         // a request's head
	ExecOutputBytes    int64 `json:"exec_output_bytes"`    // a stream of an exec that is not streamed
	ProcessBufferBytes int64 `json:"process_buffer_bytes"` // a stream of a managed process
	OutputMemoryBytes  int64 `json:"output_memory_bytes"`  // both of these, over everything that runs
}

func defaultLimits() Limits {
	return Limits{
		Processes:          128,
		Connections:        256,
		Watchers:           16,
		WatchedFolders:     4096,
		Searches:           4,
		JSONBytes:          1 << 20,
		HeaderBytes:        16 << 10,
		ExecOutputBytes:    10 << 20,
		ProcessBufferBytes: 1 << 20,
		OutputMemoryBytes:  24 << 20,
	}
}

func (l Limits) check() error {
	for name, value := range map[string]int64{
		"processes":            int64(l.Processes),
		"connections":          int64(l.Connections),
		"watchers":             int64(l.Watchers),
		"watched_folders":      int64(l.WatchedFolders),
		"searches":             int64(l.Searches),
		"json_bytes":           l.JSONBytes,
		"header_bytes":         l.HeaderBytes,
		"exec_output_bytes":    l.ExecOutputBytes,
		"process_buffer_bytes": l.ProcessBufferBytes,
		"output_memory_bytes":  l.OutputMemoryBytes,
	} {
		if value < 1 || value > 1<<30 {
			return fmt.Errorf("limits.%s is %d, must be 1 to %d", name, value, 1<<30)
		}
	}
	return nil
}

// Live holds the limits that count now: configure may change them.
type Live struct {
	now atomic.Pointer[Limits]
}

// NewLive begins with the configuration's limits.
func NewLive(limits Limits) *Live {
	l := &Live{}
	l.now.Store(&limits)
	return l
}

// Get is what counts now.
func (l *Live) Get() Limits { return *l.now.Load() }

// Merge reads limits as JSON over the present ones, without setting them.
func (l *Live) Merge(raw []byte) (Limits, error) {
	limits := l.Get()
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&limits); err != nil {
		return Limits{}, fmt.Errorf("limits: %w", err)
	}
	return limits, limits.check()
}

// Set makes these the limits that count.
func (l *Live) Set(limits Limits) { l.now.Store(&limits) }
