package copies

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"time"
)

const (
	file   = "file"
	folder = "folder"
	link   = "link"
)

// entry is one path as it was the same on both sides.
type entry struct {
	Path   []byte `json:"path"` // any bytes
	Kind   string `json:"kind"`
	Size   int64  `json:"size,omitempty"`
	Time   int64  `json:"time,omitempty"` // of the host's file, in nanoseconds since 1970
	Hash   string `json:"hash,omitempty"`
	Dated  bool   `json:"dated,omitempty"` // a change by the host gives its file another time, however soon it comes
	Target string `json:"target,omitempty"`
}

// same compares content, whatever the times are.
func (e entry) same(other entry) bool {
	return e.Kind == other.Kind && e.Hash == other.Hash && e.Target == other.Target
}

// record is what both sides of a copy had when they were last the same.
type record struct {
	at      time.Time // when that was begun
	entries map[string]entry
}

func newRecord() *record {
	return &record{at: time.Now(), entries: map[string]entry{}}
}

func (r *record) put(path string, e entry) {
	e.Path = []byte(path)
	r.entries[path] = e
}

// settled is whether a file that has kept the time in its entry has kept its content: one that was written in the
// second in which it was copied may have changed without another time.
func (r *record) settled(e entry) bool {
	return e.Time < r.at.Add(-2*time.Second).UnixNano()
}

// dated is settled, of the host's file.
func (r *record) dated(e entry) bool {
	return e.Dated || r.settled(e)
}

type head struct {
	At int64 `json:"at"`
}

// write makes the file whole or not at all.
func (r *record) write(path string) (err error) {
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	packed := gzip.NewWriter(out)
	lines := json.NewEncoder(packed)
	if err := lines.Encode(head{r.at.UnixNano()}); err != nil {
		return err
	}
	for _, e := range r.entries {
		if err := lines.Encode(e); err != nil {
			return err
		}
	}
	return packed.Close()
}

func readRecord(path string) (*record, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	plain, err := gzip.NewReader(bufio.NewReader(in))
	if err != nil {
		return nil, err
	}
	lines := json.NewDecoder(plain)
	var first head
	if err := lines.Decode(&first); err != nil {
		return nil, err
	}
	r := &record{at: time.Unix(0, first.At), entries: map[string]entry{}}
	for {
		var e entry
		if err := lines.Decode(&e); errors.Is(err, io.EOF) {
			return r, nil
		} else if err != nil {
			return nil, err
		}
		r.entries[string(e.Path)] = e
	}
}
