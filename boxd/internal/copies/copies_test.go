package copies

import (
	"archive/tar"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const mark = ".sb_test"

var wide = limits{bytes: 1 << 30, entries: 1000}

// sides are a folder of the host and what a sandbox has of it.
type sides struct {
	t      *testing.T
	host   string
	inside string
	record *record
}

// copied makes both sides the same, as of a minute ago unless recent.
func copied(t *testing.T, content map[string]string) *sides {
	t.Helper()
	s := &sides{t: t, host: t.TempDir(), inside: t.TempDir()}
	for name, text := range content {
		s.write(s.host, name, text)
		s.age(s.host, name)
	}
	s.record = s.pack(s.host, func(raw []byte) { s.unpack(raw) })
	return s
}

func (s *sides) pack(from string, to func([]byte)) *record {
	s.t.Helper()
	root, err := os.OpenRoot(from)
	s.must(err)
	defer root.Close()
	var out bytes.Buffer
	record, err := pack(root, &out, wide)
	s.must(err)
	to(out.Bytes())
	return record
}

func (s *sides) unpack(raw []byte) {
	for in := tar.NewReader(bytes.NewReader(raw)); ; {
		header, err := in.Next()
		if err != nil {
			return
		}
		to := filepath.Join(s.inside, header.Name)
		switch header.Typeflag {
		case tar.TypeDir:
			s.must(os.MkdirAll(to, 0o755))
		case tar.TypeSymlink:
			s.must(os.Symlink(header.Linkname, to))
		default:
			var text bytes.Buffer
			_, err := text.ReadFrom(in)
			s.must(err)
			s.must(os.MkdirAll(filepath.Dir(to), 0o755))
			s.must(os.WriteFile(to, text.Bytes(), os.FileMode(header.Mode)))
			s.must(os.Chtimes(to, header.ModTime, header.ModTime))
		}
	}
}

func (s *sides) write(side, name, text string) {
	s.t.Helper()
	path := filepath.Join(side, name)
	s.must(os.MkdirAll(filepath.Dir(path), 0o755))
	s.must(os.WriteFile(path, []byte(text), 0o644))
}

func (s *sides) age(side, name string) {
	then := time.Now().Add(-time.Minute)
	s.must(os.Chtimes(filepath.Join(side, name), then, then))
}

// back merges what is inside, and makes that the new state.
func (s *sides) back() report {
	s.t.Helper()
	var raw []byte
	s.pack(s.inside, func(packed []byte) { raw = packed })
	report, err := s.merge(raw)
	s.must(err)
	return report
}

func (s *sides) merge(raw []byte) (report, error) {
	root, err := os.OpenRoot(s.host)
	s.must(err)
	defer root.Close()
	after, done, err := merge(root, bytes.NewReader(raw), s.record, mark, wide)
	if err == nil {
		path := filepath.Join(s.t.TempDir(), "record")
		s.must(after.write(path))
		s.record, err = readRecord(path)
	}
	return done, err
}

func (s *sides) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// hostHas compares the host's files: name to content, links as ->target, folders that are empty as /.
func (s *sides) hostHas(want map[string]string) {
	s.t.Helper()
	got := map[string]string{}
	s.must(filepath.WalkDir(s.host, func(path string, e os.DirEntry, err error) error {
		name := strings.TrimPrefix(path, s.host+"/")
		switch {
		case err != nil || path == s.host:
			return err
		case e.IsDir():
			if below, _ := os.ReadDir(path); len(below) == 0 {
				got[name] = "/"
			}
		case e.Type() == os.ModeSymlink:
			target, _ := os.Readlink(path)
			got[name] = "->" + target
		default:
			text, _ := os.ReadFile(path)
			got[name] = string(text)
		}
		return nil
	}))
	if fmt.Sprint(got) != fmt.Sprint(want) {
		s.t.Fatalf("the host has %v, not %v", got, want)
	}
}

func TestChangesComeBack(t *testing.T) {
	s := copied(t, map[string]string{"kept": "1", "changed": "1", "removed": "1", "gone/deep/file": "1"})
	s.write(s.inside, "changed", "22")
	s.write(s.inside, "new/folder/file", "3")
	s.must(os.Symlink("new/folder", filepath.Join(s.inside, "link")))
	s.must(os.Mkdir(filepath.Join(s.inside, "empty"), 0o755))
	s.must(os.Remove(filepath.Join(s.inside, "removed")))
	s.must(os.RemoveAll(filepath.Join(s.inside, "gone")))
	want := map[string]string{"kept": "1", "changed": "22", "new/folder/file": "3", "link": "->new/folder", "empty": "/"}
	done := s.back()
	s.hostHas(want)
	if len(done.Conflicts)+len(done.Skipped) > 0 || done.Removed != 4 {
		t.Fatalf("%+v", done)
	}
	if again := s.back(); again.Written+again.Removed+len(again.Conflicts) != 0 {
		t.Fatalf("the second time changed something: %+v", again)
	}
	s.hostHas(want)
}

// A file of the same size that is written in the second of the copy is seen by its content.
func TestQuickChangeOfOneSize(t *testing.T) {
	s := copied(t, nil)
	s.write(s.host, "fresh", "1")
	s.record = s.pack(s.host, s.unpack)
	info, err := os.Stat(filepath.Join(s.inside, "fresh"))
	s.must(err)
	s.write(s.inside, "fresh", "2")
	s.must(os.Chtimes(filepath.Join(s.inside, "fresh"), info.ModTime(), info.ModTime()))
	s.back()
	s.hostHas(map[string]string{"fresh": "2"})
}

func TestConflictsKeepBoth(t *testing.T) {
	s := copied(t, map[string]string{"both": "1", "here": "1", "there": "1", "equal": "1", "unchanged": "1", "folder": "1"})
	for name, text := range map[string]string{"both": "host", "here": "host", "equal": "same", "new": "host", "unchanged": "host"} {
		s.write(s.host, name, text)
	}
	s.must(os.Remove(filepath.Join(s.host, "there")))
	for name, text := range map[string]string{"both": "inside", "there": "inside", "equal": "same", "new": "inside"} {
		s.write(s.inside, name, text)
	}
	s.must(os.Remove(filepath.Join(s.inside, "here")))
	s.write(s.host, "folder", "host")
	s.must(os.Remove(filepath.Join(s.inside, "folder")))
	s.write(s.inside, "folder/file", "inside")
	want := map[string]string{
		"both": "host", "both" + mark: "inside", "here": "host", "there": "inside", "equal": "same", "unchanged": "host",
		"new": "host", "new" + mark: "inside", "folder": "host", "folder" + mark + "/file": "inside",
	}
	done := s.back()
	s.hostHas(want)
	if len(done.Conflicts) != 5 {
		t.Fatalf("%+v", done.Conflicts)
	}
	s.write(s.inside, "both", "later")
	s.back()
	want["both"+mark] = "later"
	s.hostHas(want)
}

func TestHostileArchives(t *testing.T) {
	outside := t.TempDir()
	s := copied(t, map[string]string{"file": "1"})
	s.must(os.Symlink(outside, filepath.Join(s.host, "way")))
	var raw bytes.Buffer
	out := tar.NewWriter(&raw)
	for _, header := range []tar.Header{
		{Name: "file", Typeflag: tar.TypeReg, Size: 1, Mode: 0o6777},
		{Name: "../up", Typeflag: tar.TypeReg},
		{Name: "/absolute", Typeflag: tar.TypeReg},
		{Name: "a/../../up", Typeflag: tar.TypeReg},
		{Name: "device", Typeflag: tar.TypeChar},
		{Name: "fifo", Typeflag: tar.TypeFifo},
		{Name: "hard", Typeflag: tar.TypeLink, Linkname: "/etc/passwd"},
		{Name: "out", Typeflag: tar.TypeSymlink, Linkname: "/etc"},
		{Name: "up", Typeflag: tar.TypeSymlink, Linkname: "x/../../.."},
		{Name: "way/file", Typeflag: tar.TypeReg},
		{Name: "file", Typeflag: tar.TypeReg},
		{Name: strings.Repeat("n", 255), Typeflag: tar.TypeReg},
	} {
		s.must(out.WriteHeader(&header))
		if header.Size > 0 {
			_, err := out.Write([]byte("2"))
			s.must(err)
		}
	}
	s.must(out.Close())
	done, err := s.merge(raw.Bytes())
	s.must(err)
	s.hostHas(map[string]string{"file": "2", "way": "->" + outside, strings.Repeat("n", 255): ""})
	if len(done.Skipped) != 10 {
		t.Fatalf("%d: %+v", len(done.Skipped), done.Skipped)
	}
	info, err := os.Stat(filepath.Join(s.host, "file"))
	s.must(err)
	if info.Mode() != 0o777 {
		t.Fatalf("mode %v", info.Mode())
	}
	if left, _ := os.ReadDir(outside); len(left) > 0 {
		t.Fatal("something was written outside")
	}
}

// Wherever an archive is cut, nothing counts as removed.
func TestCutArchiveRemovesNothing(t *testing.T) {
	s := copied(t, map[string]string{"a": "1", "b": "1", "c": "1"})
	s.write(s.inside, "b", "22")
	var raw []byte
	s.pack(s.inside, func(packed []byte) { raw = packed })
	for cut := 0; cut < len(raw); cut += 256 {
		if _, err := s.merge(raw[:cut]); err == nil {
			t.Fatalf("cut at %d of %d was taken", cut, len(raw))
		}
		for _, name := range []string{"a", "c"} {
			if text, _ := os.ReadFile(filepath.Join(s.host, name)); string(text) != "1" {
				t.Fatalf("cut at %d: %s is %q", cut, name, text)
			}
		}
	}
	_, err := s.merge(raw)
	s.must(err)
	s.hostHas(map[string]string{"a": "1", "b": "22", "c": "1"})
}

func TestBounds(t *testing.T) {
	s := copied(t, map[string]string{"a": "1", "b": "1"})
	s.write(s.inside, "a", strings.Repeat("x", 2000))
	var raw []byte
	s.pack(s.inside, func(packed []byte) { raw = packed })
	root, err := os.OpenRoot(s.host)
	s.must(err)
	defer root.Close()
	for _, narrow := range []limits{{bytes: 1000, entries: 1000}, {bytes: 1 << 20, entries: 1}} {
		if _, _, err := merge(root, bytes.NewReader(raw), s.record, mark, narrow); err == nil || !strings.Contains(err.Error(), "more than") {
			t.Fatalf("merge: %v", err)
		}
	}
	inside, err := os.OpenRoot(s.inside)
	s.must(err)
	defer inside.Close()
	for _, narrow := range []limits{{bytes: 1000, entries: 1000}, {bytes: 1 << 20, entries: 1}} {
		if _, err := pack(inside, &bytes.Buffer{}, narrow); err == nil || !strings.Contains(err.Error(), "more than") {
			t.Fatalf("pack: %v", err)
		}
	}
}
