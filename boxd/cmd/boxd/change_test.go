package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/textproto"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestFoldersAreMadeMovedAndRemoved(t *testing.T) {
	s := start(t)
	made := s.post("/v1/files/mkdir", `{"path":"a","mode":"0750"}`)
	if made.status != 201 || fieldOf(t, made.body, "type") != "folder" || fieldOf(t, made.body, "mode") != "0750" {
		t.Fatalf("%d %s", made.status, made.body)
	}
	wantProblem(t, s.post("/v1/files/mkdir", `{"path":"a"}`), 409, "INVALID_STATE")
	wantProblem(t, s.post("/v1/files/mkdir", `{"path":"b/c/d"}`), 404, "NOT_FOUND")
	if deep := s.post("/v1/files/mkdir", `{"path":"b/c/d","parents":true}`); deep.status != 201 {
		t.Fatalf("%d %s", deep.status, deep.body)
	}
	if again := s.post("/v1/files/mkdir", `{"path":"b/c/d","parents":true}`); again.status != 201 {
		t.Fatalf("%d %s", again.status, again.body)
	}
	s.upload("path=a/f", "one")
	s.upload("path=b/f", "two")
	wantProblem(t, s.post("/v1/files/move", `{"from":"a/f","to":"b/f"}`), 409, "INVALID_STATE")
	wantProblem(t, s.post("/v1/files/move", `{"from":"missing","to":"x"}`), 404, "NOT_FOUND")
	wantProblem(t, s.post("/v1/files/move", `{"from":"a/f","to":"no/folder/f"}`), 404, "NOT_FOUND")
	wantProblem(t, s.post("/v1/files/move", `{"from":"b","to":"b/c/d/e"}`), 400, "VALIDATION")
	if moved := s.post("/v1/files/move", `{"from":"a/f","to":"b/f","overwrite":true}`); moved.status != 200 || s.content("b/f") != "one" || exists(s.in("a/f")) {
		t.Fatalf("%d %s", moved.status, moved.body)
	}
	if moved := s.post("/v1/files/move", `{"from":"b","to":"a/b"}`); moved.status != 200 || s.content("a/b/f") != "one" {
		t.Fatalf("%d %s", moved.status, moved.body)
	}
	wantProblem(t, s.post("/v1/files/remove", `{"path":"a"}`), 409, "INVALID_STATE")
	wantProblem(t, s.post("/v1/files/remove", `{"path":"missing","recursive":true}`), 404, "NOT_FOUND")
	must(t, os.Symlink(s.in("a"), s.in("link")))
	if gone := s.post("/v1/files/remove", `{"path":"link","recursive":true}`); gone.status != 204 || !exists(s.in("a/b/f")) {
		t.Fatal("a link's target was removed", gone.status)
	}
	if gone := s.post("/v1/files/remove", `{"path":"a","recursive":true}`); gone.status != 204 || exists(s.in("a")) {
		t.Fatalf("%d %s", gone.status, gone.body)
	}
	for _, body := range []string{`{"path":"."}`, `{"path":"/"}`, `{"path":"` + s.workspace + `/../w/","recursive":true}`} {
		wantProblem(t, s.post("/v1/files/remove", body), 403, "FORBIDDEN")
	}
	wantProblem(t, s.post("/v1/files/move", `{"from":".","to":"/tmp/elsewhere"}`), 403, "FORBIDDEN")
}

func TestMoveToAnotherFileSystem(t *testing.T) {
	s := start(t)
	other, err := os.MkdirTemp("/dev/shm", "bx")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(other) })
	s.upload("path=f&mode=0640", "carried")
	to := filepath.Join(other, "f")
	if moved := s.post("/v1/files/move", `{"from":"f","to":"`+to+`"}`); moved.status != 200 || fieldOf(t, moved.body, "mode") != "0640" {
		t.Fatalf("%d %s", moved.status, moved.body)
	}
	raw, err := os.ReadFile(to)
	must(t, err)
	if string(raw) != "carried" || exists(s.in("f")) {
		t.Fatalf("%s", raw)
	}
	s.upload("path=f", "second")
	wantProblem(t, s.post("/v1/files/move", `{"from":"f","to":"`+to+`"}`), 412, "GENERATION_CONFLICT")
	must(t, os.Mkdir(s.in("folder"), 0o755))
	wantProblem(t, s.post("/v1/files/move", `{"from":"folder","to":"`+other+`/folder"}`), 409, "INVALID_STATE")
}

func TestChmod(t *testing.T) {
	s := start(t)
	s.upload("path=f", "x")
	if changed := s.post("/v1/files/chmod", `{"path":"f","mode":"0755"}`); changed.status != 200 || fieldOf(t, changed.body, "mode") != "0755" {
		t.Fatalf("%d %s", changed.status, changed.body)
	}
	for _, body := range []string{`{"path":"f"}`, `{"path":"f","mode":"4755"}`, `{"path":"f","mode":"rwx"}`, `{"mode":"0644"}`, `{"path":"f","mode":644}`} {
		wantProblem(t, s.post("/v1/files/chmod", body), 400, "VALIDATION")
	}
	wantProblem(t, s.post("/v1/files/chmod", `{"path":"missing","mode":"0644"}`), 404, "NOT_FOUND")
}

// multipartOf makes a body of names and contents.
func multipartOf(t *testing.T, files ...string) (body, kind string) {
	t.Helper()
	var out bytes.Buffer
	w := multipart.NewWriter(&out)
	for i := 0; i < len(files); i += 2 {
		part, err := w.CreatePart(textproto.MIMEHeader{"Content-Disposition": {fmt.Sprintf(`form-data; name="file"; filename="%s"`, files[i])}})
		must(t, err)
		_, err = part.Write([]byte(files[i+1]))
		must(t, err)
	}
	must(t, w.Close())
	return out.String(), w.FormDataContentType()
}

func TestSeveralFilesInOneUpload(t *testing.T) {
	s := start(t)
	big := strings.Repeat("0123456789\r\n--\x00", 50_000)
	body, kind := multipartOf(t, "a", "one", "deep/er/b", big, "empty", "")
	got := s.upload("path=in&parents=true&mode=0600", body, "Content-Type", kind)
	var list struct{ Items []struct{ Path, Mode string } }
	must(t, json.Unmarshal(got.body, &list))
	if got.status != 200 || len(list.Items) != 3 || list.Items[1].Path != s.in("in/deep/er/b") || list.Items[0].Mode != "0600" {
		t.Fatalf("%d %s", got.status, got.body)
	}
	if s.content("in/a") != "one" || s.content("in/deep/er/b") != big || s.content("in/empty") != "" {
		t.Fatal("other bytes were written")
	}
	for name, files := range map[string][]string{
		"parent": {"../evil", "x"}, "inside parent": {"a/../../evil", "x"}, "absolute": {"/tmp/evil-upload", "x"}, "no name": {"", "x"},
		"folder": {"deep", "x"},
	} {
		body, kind := multipartOf(t, append([]string{"first", "kept"}, files...)...)
		got := s.upload("path=in", body, "Content-Type", kind)
		if code := got.problem(t); code != "VALIDATION" && code != "INVALID_STATE" || exists(s.in("evil")) || s.content("in/first") != "kept" {
			t.Fatal(name, got.status, string(got.body))
		}
	}
	for name, body := range map[string]string{
		"cut off":   "--x\r\nContent-Disposition: form-data; filename=\"half\"\r\n\r\nhal",
		"no parts":  "nothing",
		"huge head": "--x\r\nContent-Disposition: form-data; filename=\"f\"\r\nX: " + strings.Repeat("y", 200_000) + "\r\n\r\nx\r\n--x--\r\n",
	} {
		got := s.upload("path=in", body, "Content-Type", "multipart/form-data; boundary=x")
		if code := got.problem(t); code != "VALIDATION" && code != "TOO_LARGE" || exists(s.in("in/half")) || exists(s.in("in/f")) {
			t.Fatal(name, got.status, string(got.body))
		}
	}
	wantProblem(t, s.upload("path=in/a", body, "Content-Type", kind), 409, "INVALID_STATE")
	wantProblem(t, s.upload("path=missing", body, "Content-Type", kind), 404, "NOT_FOUND")
	if left := s.leftovers(); len(left) != 0 {
		t.Fatal(left)
	}
}

func (s *sandbox) search(query string) (paths []string, truncatedBy any) {
	s.t.Helper()
	got := s.get("/v1/files/search?" + query)
	var reply struct {
		Items []struct {
			Path       string
			LineNumber int `json:"line_number"`
			Column     int
			Line       string
		}
		TruncatedBy any `json:"truncated_by"`
	}
	if got.status != 200 {
		s.t.Fatalf("%s: %d %s", query, got.status, got.body)
	}
	must(s.t, json.Unmarshal(got.body, &reply))
	for _, item := range reply.Items {
		path := strings.TrimPrefix(item.Path, s.workspace+"/")
		if item.LineNumber > 0 {
			path = fmt.Sprintf("%s:%d:%d:%s", path, item.LineNumber, item.Column, item.Line)
		}
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return paths, reply.TruncatedBy
}

func TestSearchByNameAndContent(t *testing.T) {
	s := start(t)
	for name, content := range map[string]string{
		"main.go": "package main\n// TODO: all\n", "sub/util.go": "TODO\r\nnot here\nmore todo\n", "sub/deep/x.txt": "TODO ä\n",
		"sub/bin": "TODO\x00binary", "long": strings.Repeat("x", 100_000) + "TODO\nTODO after\n", "latin": "TODO \xff\n", "[odd]{name}": "",
	} {
		if got := s.upload("path="+url.QueryEscape(name)+"&parents=true", content); got.status != 201 {
			t.Fatalf("%s: %d", name, got.status)
		}
	}
	must(t, os.Symlink("/", s.in("sub/root")))
	for query, want := range map[string]string{
		"pattern=*.go":            "main.go sub/util.go",
		"pattern=/*.go":           "main.go",
		"pattern=**/*.go":         "main.go sub/util.go",
		"pattern=sub/*":           "sub/bin sub/deep sub/root sub/util.go",
		"pattern=sub/**":          "sub/bin sub/deep sub/deep/x.txt sub/root sub/util.go",
		"pattern=*.{go,txt}":      "main.go sub/deep/x.txt sub/util.go",
		"pattern=[!a-l]*.g?":      "main.go sub/util.go",
		`pattern=\[odd\]\{*`:      "[odd]{name}",
		"pattern=nothing":         "",
		"path=sub&pattern=*.txt":  "sub/deep/x.txt",
		"grep=TODO&pattern=*.go":  "main.go:2:4:// TODO: all sub/util.go:1:1:TODO",
		"grep=(?i)todo$":          "sub/util.go:1:1:TODO sub/util.go:3:6:more todo",
		"grep=TODO&path=sub/deep": "sub/deep/x.txt:1:1:TODO ä",
		"grep=TODO&pattern=latin": "latin:1:1:TODO \uFFFD",
		"grep=TODO&pattern=long":  "long:2:1:TODO after",
	} {
		if got, cut := s.search(strings.ReplaceAll(query, "+", "%2B")); strings.Join(got, " ") != want || cut != nil {
			t.Errorf("%s: %q %v", query, got, cut)
		}
	}
	if got, cut := s.search("pattern=**&limit=3"); len(got) != 3 || cut != "limit" {
		t.Fatal(got, cut)
	}
	for _, query := range []string{"", "pattern=[a", "pattern={a", "grep=(", "grep=a&limit=0", "pattern=" + strings.Repeat("a", 2000), "grep=" + strings.Repeat("a", 2000), "grep=(a{1000}){1000}"} {
		wantProblem(t, s.get("/v1/files/search?"+query), 400, "VALIDATION")
	}
	wantProblem(t, s.get("/v1/files/search?pattern=*&path=missing"), 404, "NOT_FOUND")
	wantProblem(t, s.get("/v1/files/search?pattern=*&path=main.go"), 409, "INVALID_STATE")
}

// What boxd may read of itself is more than a command may: no file route gives it away.
func TestFilesDoNotShowBoxdItself(t *testing.T) {
	s := start(t)
	pid := s.command.Process.Pid
	for _, path := range []string{"/proc/self/environ", "/proc/self/mem", "/proc/thread-self/environ", fmt.Sprintf("/proc/%d/environ", pid), "/proc/self/root/proc/self/environ"} {
		for _, route := range []string{"download?path=", "search?grep=SECRET&path="} {
			if got := s.get("/v1/files/" + route + path); got.status == 200 || bytes.Contains(got.body, []byte("OF_THE_IMAGE")) {
				t.Errorf("%s%s: %d %.300s", route, path, got.status, got.body)
			}
		}
	}
	must(t, os.Symlink("/proc/self/environ", s.in("link")))
	wantProblem(t, s.download("path=link"), 403, "FORBIDDEN")
	wantProblem(t, s.get("/v1/files/search?grep=SECRET&path=/proc/self"), 403, "FORBIDDEN")
	if got := s.download("path=/proc/self/task&archive=tar"); bytes.Contains(got.body, []byte("OF_THE_IMAGE")) {
		t.Error("an archive has boxd's environment")
	}
	if got := s.upload("path=/proc/self/mem", "x"); got.status < 400 {
		t.Errorf("%d %s", got.status, got.body)
	}
}

func TestOddNamesAreOnlyNames(t *testing.T) {
	s := start(t)
	for _, name := range []string{"a\nb", "  ", "-rf", "..a", "a..", "%2e%2e", "é", "\xff\xfe", strings.Repeat("n", 255), `"quoted"`, "a\\b", "*", "?x=1&y"} {
		query := "path=" + url.QueryEscape(name)
		if got := s.upload(query, "of "+name); got.status != 201 {
			t.Fatalf("%q: %d %s", name, got.status, got.body)
		}
		if got := s.download(query); string(got.body) != "of "+name {
			t.Fatalf("%q: %q", name, got.body)
		}
		if got := s.get("/v1/files/stat?" + query); got.status != 200 {
			t.Fatalf("%q: %d", name, got.status)
		}
	}
	all := s.get("/v1/files/list?limit=100")
	var list struct{ Items []map[string]any }
	must(t, json.Unmarshal(all.body, &list))
	if len(list.Items) != 13 {
		t.Fatalf("%d %s", len(list.Items), all.body)
	}
	back := untar(t, s.download("path=.&archive=tar").body)
	if len(back) != 13 || back["a\nb"].body != "of a\nb" || back["\xff\xfe"].body != "of \xff\xfe" {
		t.Fatalf("%v", back)
	}
	wantProblem(t, s.upload("path="+strings.Repeat("n", 256), "x"), 400, "VALIDATION")
	wantProblem(t, s.upload("path="+strings.Repeat("d/", 3000)+"f&parents=true", "x"), 400, "VALIDATION")
}
