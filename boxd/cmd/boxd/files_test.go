package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func (s *sandbox) upload(query, body string, header ...string) answer {
	s.t.Helper()
	request, err := http.NewRequest(http.MethodPost, "http://box/v1/files/upload?"+query, strings.NewReader(body))
	must(s.t, err)
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	return s.do(request)
}

func (s *sandbox) download(query string, header ...string) answer {
	s.t.Helper()
	request := s.request(http.MethodGet, "/v1/files/download?"+query, "")
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	return s.do(request)
}

func (s *sandbox) in(name string) string { return filepath.Join(s.workspace, name) }

func (s *sandbox) content(name string) string {
	s.t.Helper()
	raw, err := os.ReadFile(s.in(name))
	must(s.t, err)
	return string(raw)
}

func (s *sandbox) leftovers() []string {
	found, _ := filepath.Glob(s.in("*/.upload-*"))
	more, _ := filepath.Glob(s.in(".upload-*"))
	return append(found, more...)
}

func fieldOf(t *testing.T, raw []byte, name string) any {
	t.Helper()
	var fields map[string]any
	must(t, json.Unmarshal(raw, &fields))
	return fields[name]
}

func wantProblem(t *testing.T, a answer, status int, code string) {
	t.Helper()
	if got := a.problem(t); a.status != status || got != code {
		t.Fatalf("%d %s instead of %d %s: %s", a.status, got, status, code, a.body)
	}
}

func TestUploadThenDownload(t *testing.T) {
	s := start(t)
	content := strings.Repeat("0123456789\x00\xff", 300_000)
	created := s.upload("path=a/b/c.bin&parents=true&mode=0750", content)
	if created.status != http.StatusCreated || fieldOf(t, created.body, "mode") != "0750" {
		t.Fatalf("%d %s", created.status, created.body)
	}
	got := s.download("path=a/b/c.bin")
	if string(got.body) != content || got.header.Get("ETag") != created.header.Get("ETag") || got.header.Get("Etag") == "" {
		t.Fatal(got.status, got.header)
	}
	again := s.upload("path="+s.in("a/b/c.bin"), "short")
	if again.status != http.StatusOK || s.content("a/b/c.bin") != "short" || fieldOf(t, again.body, "mode") != "0750" {
		t.Fatalf("%d %s", again.status, again.body)
	}
	if plain := s.upload("path=plain", ""); fieldOf(t, plain.body, "mode") != "0644" || s.content("plain") != "" {
		t.Fatalf("%s", plain.body)
	}
}

func TestDownloadRangesAndConditions(t *testing.T) {
	s := start(t)
	tag := s.upload("path=f", "0123456789").header.Get("ETag")
	part := s.download("path=f", "Range", "bytes=2-4")
	if part.status != http.StatusPartialContent || string(part.body) != "234" || part.header.Get("Content-Range") != "bytes 2-4/10" {
		t.Fatal(part.status, part.header, string(part.body))
	}
	if same := s.download("path=f", "If-None-Match", tag); same.status != http.StatusNotModified || len(same.body) != 0 {
		t.Fatal(same.status)
	}
	if stale := s.download("path=f", "Range", "bytes=2-4", "If-Range", `"other"`); stale.status != http.StatusOK || len(stale.body) != 10 {
		t.Fatal(stale.status)
	}
	wantProblem(t, s.download("path=f", "Range", "bytes=50-"), http.StatusRequestedRangeNotSatisfiable, "VALIDATION")
	wantProblem(t, s.download("path=f", "If-Match", `"other"`), http.StatusPreconditionFailed, "GENERATION_CONFLICT")
}

func TestUploadConditions(t *testing.T) {
	s := start(t)
	wantProblem(t, s.upload("path=f", "x", "If-Match", "*"), 412, "GENERATION_CONFLICT")
	first := s.upload("path=f", "one", "If-None-Match", "*")
	wantProblem(t, s.upload("path=f", "two", "If-None-Match", "*"), 412, "GENERATION_CONFLICT")
	second := s.upload("path=f", "two", "If-Match", first.header.Get("ETag"))
	wantProblem(t, s.upload("path=f", "three", "If-Match", first.header.Get("ETag")), 412, "GENERATION_CONFLICT")
	if first.status != 201 || second.status != 200 || s.content("f") != "two" || len(s.leftovers()) != 0 {
		t.Fatal(first.status, second.status, s.content("f"), s.leftovers())
	}
}

func TestConditionalUploadsAtOnceLetOneWin(t *testing.T) {
	s := start(t)
	const clients = 16
	statuses := make(chan int, clients)
	for i := range clients {
		go func() { statuses <- s.upload("path=f", fmt.Sprint(i), "If-None-Match", "*").status }()
	}
	var won int
	for range clients {
		if <-statuses == http.StatusCreated {
			won++
		}
	}
	if won != 1 {
		t.Fatalf("%d uploads created the file", won)
	}
}

func TestFileErrors(t *testing.T) {
	s := start(t)
	must(t, os.Mkdir(s.in("folder"), 0o755))
	must(t, os.WriteFile(s.in("file"), []byte("x"), 0o644))
	must(t, syscall.Mkfifo(s.in("fifo"), 0o644))
	for _, c := range []struct {
		got    answer
		status int
		code   string
	}{
		{s.download("path=missing"), 404, "NOT_FOUND"},
		{s.download("path=file/below"), 409, "INVALID_STATE"},
		{s.download("path=folder"), 409, "INVALID_STATE"},
		{s.download("path=fifo"), 409, "INVALID_STATE"},
		{s.download("path=file&archive=tar"), 409, "INVALID_STATE"},
		{s.download("path=missing&archive=tar"), 404, "NOT_FOUND"},
		{s.download("path=folder&archive=zip"), 400, "VALIDATION"},
		{s.download(""), 400, "VALIDATION"},
		{s.download("path=a%00b"), 400, "VALIDATION"},
		{s.download("path=" + strings.Repeat("x", 300)), 400, "VALIDATION"},
		{s.download("path=file&path=file"), 400, "VALIDATION"},
		{s.download("path=file&what=1"), 400, "VALIDATION"},
		{s.download("path=%zz"), 400, "VALIDATION"},
		{s.upload("path=folder", "x"), 409, "INVALID_STATE"},
		{s.upload("path=fifo", "x"), 409, "INVALID_STATE"},
		{s.upload("path=/dev/null", "x"), 409, "INVALID_STATE"},
		{s.upload("path=no/such/folder", "x"), 404, "NOT_FOUND"},
		{s.upload("path=file/below", "x"), 409, "INVALID_STATE"},
		{s.upload("path=file/below&parents=true", "x"), 409, "INVALID_STATE"},
		{s.upload("path=f&mode=4755", "x"), 400, "VALIDATION"},
		{s.upload("path=f&mode=rw", "x"), 400, "VALIDATION"},
		{s.upload("path=f&parents=yes", "x"), 400, "VALIDATION"},
		{s.upload("path=f", "x", "Content-Type", "multipart/mixed; boundary=x"), 415, "UNSUPPORTED_MEDIA_TYPE"},
		{s.upload("path=missing&extract=tar", ""), 404, "NOT_FOUND"},
		{s.upload("path=folder&extract=tar&mode=0644", ""), 400, "VALIDATION"},
		{s.upload("path=folder&extract=tar", "not a tar, certainly, even though it is long enough"+strings.Repeat("x", 1000)), 400, "VALIDATION"},
		{s.get("/v1/files/stat?path=missing"), 404, "NOT_FOUND"},
		{s.get("/v1/files/list?path=missing"), 404, "NOT_FOUND"},
		{s.get("/v1/files/list?path=file"), 409, "INVALID_STATE"},
		{s.get("/v1/files/list?depth=0"), 400, "VALIDATION"},
		{s.get("/v1/files/list?limit=1001"), 400, "VALIDATION"},
		{s.get("/v1/files/list?cursor=%25"), 400, "VALIDATION"},
		{s.get("/v1/files/watch?path=missing"), 404, "NOT_FOUND"},
		{s.post("/v1/files/download?path=file", ""), 405, "METHOD_NOT_ALLOWED"},
	} {
		wantProblem(t, c.got, c.status, c.code)
	}
	if left := s.leftovers(); len(left) != 0 {
		t.Fatal(left)
	}
}

// A file size limit stands for the full disk: it needs no mount, and takes the same way through the code.
func TestFullDiskKeepsTheOldFile(t *testing.T) {
	s := start(t)
	must(t, os.WriteFile(s.in("f"), []byte("old"), 0o644))
	limit := syscall.Rlimit{Cur: 1 << 20, Max: 1 << 20}
	setLimit(t, s.command.Process.Pid, syscall.RLIMIT_FSIZE, limit)
	wantProblem(t, s.upload("path=f", strings.Repeat("x", 3<<20)), http.StatusInsufficientStorage, "STORAGE_FULL")
	if s.content("f") != "old" || len(s.leftovers()) != 0 {
		t.Fatal("the old file is gone, or a part of the new one is left", s.leftovers())
	}
	big := tarOf(t, tarEntry{name: "big", body: strings.Repeat("x", 3<<20)})
	wantProblem(t, s.upload("path=.&extract=tar", big), http.StatusInsufficientStorage, "STORAGE_FULL")
	if exists(s.in("big")) || len(s.leftovers()) != 0 {
		t.Fatal("a part of an entry is left", s.leftovers())
	}
}

func TestUploadThatBreaksOffLeavesTheOldFile(t *testing.T) {
	s := start(t)
	must(t, os.WriteFile(s.in("f"), []byte("old"), 0o644))
	reader, writer := io.Pipe()
	request, err := http.NewRequest(http.MethodPost, "http://box/v1/files/upload?path=f", reader)
	must(t, err)
	request.Header.Set("Authorization", "Bearer "+s.anything())
	go func() {
		_, _ = writer.Write([]byte("half"))
		eventually(t, "the upload has begun", func() bool { return len(s.leftovers()) == 1 })
		_ = writer.CloseWithError(errors.New("gone"))
	}()
	if _, err := s.client.Do(request); err == nil {
		t.Fatal("the broken upload was answered")
	}
	eventually(t, "the part is removed", func() bool { return len(s.leftovers()) == 0 })
	if s.content("f") != "old" {
		t.Fatal(s.content("f"))
	}
}

func TestUploadThroughALinkKeepsTheLink(t *testing.T) {
	s := start(t)
	must(t, os.WriteFile(s.in("real"), []byte("old"), 0o600))
	must(t, os.Symlink("real", s.in("link")))
	if got := s.upload("path=link", "new"); got.status != 200 || s.content("real") != "new" {
		t.Fatal(got.status, s.content("real"))
	}
	info := fieldOf(t, s.get("/v1/files/stat?path=link").body, "link_target")
	if info != "real" {
		t.Fatal(info)
	}
}

func TestStatAndListPageThroughEverything(t *testing.T) {
	s := start(t)
	var want []string
	for _, name := range []string{"a", "a-b", "a/x", "a/y", "b", "z"} {
		if name == "a" {
			must(t, os.Mkdir(s.in(name), 0o755))
		} else {
			must(t, os.WriteFile(s.in(name), []byte("12345"), 0o644))
		}
	}
	for _, name := range []string{"a", "a/x", "a/y", "a-b", "b", "z"} {
		want = append(want, s.in(name))
	}
	var got []string
	cursor := ""
	for {
		var page struct {
			Items      []map[string]any `json:"items"`
			NextCursor *string          `json:"next_cursor"`
		}
		must(t, json.Unmarshal(s.get("/v1/files/list?depth=3&limit=2&cursor="+cursor).body, &page))
		for _, item := range page.Items {
			got = append(got, item["path"].(string))
		}
		if page.NextCursor == nil {
			break
		}
		cursor = url.QueryEscape(*page.NextCursor)
	}
	if !slices.Equal(got, want) {
		t.Fatal(got, want)
	}
	stat := s.get("/v1/files/stat?path=b")
	if fieldOf(t, stat.body, "type") != "file" || fieldOf(t, stat.body, "size_bytes") != 5.0 || fieldOf(t, stat.body, "name") != "b" {
		t.Fatalf("%s", stat.body)
	}
	if flat := s.get("/v1/files/list"); bytes.Contains(flat.body, []byte("/a/x")) {
		t.Fatalf("a listing of depth 1 goes deeper: %s", flat.body)
	}
}

type tarEntry struct {
	name, link, body string
	kind             byte
	mode             int64
}

func tarOf(t *testing.T, entries ...tarEntry) string {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, e := range entries {
		if e.kind == 0 {
			e.kind = tar.TypeReg
		}
		if e.mode == 0 {
			e.mode = 0o644
		}
		must(t, w.WriteHeader(&tar.Header{Name: e.name, Linkname: e.link, Typeflag: e.kind, Mode: e.mode, Size: int64(len(e.body))}))
		_, err := io.WriteString(w, e.body)
		must(t, err)
	}
	must(t, w.Close())
	return out.String()
}
