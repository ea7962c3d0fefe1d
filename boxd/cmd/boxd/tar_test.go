package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestTarInAndOut(t *testing.T) {
	s := start(t)
	in := tarOf(t,
		tarEntry{name: "./", kind: tar.TypeDir, mode: 0o755},
		tarEntry{name: "./sub/", kind: tar.TypeDir, mode: 0o555},
		tarEntry{name: "./sub/run", body: "#!/bin/sh\n", mode: 0o6755},
		tarEntry{name: "deep/er/file", body: "content"},
		tarEntry{name: "deep/link", link: "../sub/run", kind: tar.TypeSymlink},
		tarEntry{name: "hard", link: "deep/er/file", kind: tar.TypeLink},
		tarEntry{name: strings.Repeat("long/", 40) + "name", body: "far"},
	)
	if got := s.upload("path=new&parents=true&extract=tar", in); got.status != 200 || fieldOf(t, got.body, "entries") != 7.0 {
		t.Fatalf("%d %s", got.status, got.body)
	}
	info, err := os.Stat(s.in("new/sub/run"))
	must(t, err)
	if info.Mode() != 0o755 {
		t.Fatalf("setuid bits were kept: %v", info.Mode())
	}
	listener, err := net.Listen("unix", s.in("new/socket"))
	must(t, err)
	defer listener.Close()
	must(t, syscall.Mkfifo(s.in("new/fifo"), 0o600))
	out := untar(t, s.download("path=new&archive=tar").body)
	if len(out) != 48 || out["deep/er/file"].body != "content" || out["hard"].body != "content" ||
		out["deep/link"].link != "../sub/run" || out["sub/run"].mode != 0o755 || out["sub/"].kind != tar.TypeDir {
		t.Fatalf("%d entries", len(out))
	}
}

func untar(t *testing.T, raw []byte) map[string]tarEntry {
	t.Helper()
	entries := map[string]tarEntry{}
	for r := tar.NewReader(bytes.NewReader(raw)); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return entries
		}
		must(t, err)
		body, err := io.ReadAll(r)
		must(t, err)
		entries[header.Name] = tarEntry{header.Name, header.Linkname, string(body), header.Typeflag, header.Mode}
	}
}

func TestTarThatLeavesTheTargetIsRefused(t *testing.T) {
	s := start(t)
	folder := func(name string) tarEntry { return tarEntry{name: name, kind: tar.TypeDir, mode: 0o755} }
	link := func(name, target string) tarEntry { return tarEntry{name: name, link: target, kind: tar.TypeSymlink} }
	hard := func(name, target string) tarEntry { return tarEntry{name: name, link: target, kind: tar.TypeLink} }
	file := func(name string) tarEntry { return tarEntry{name: name, body: "evil"} }
	must(t, os.Mkdir(s.in("target"), 0o755))
	must(t, os.WriteFile(s.in("canary"), []byte("alive"), 0o644))
	for name, entries := range map[string][]tarEntry{
		"parent":                      {file("../canary")},
		"parent that comes back":      {file("a/../../target/x")},
		"parent inside":               {file("a/../x")},
		"absolute":                    {file(s.in("canary"))},
		"link up":                     {link("l", "..")},
		"link to absolute":            {link("l", "/etc")},
		"link far up":                 {folder("a/b"), link("a/b/l", "../../../canary")},
		"link that walks through":     {folder("a/b"), link("a/b/l", "x/../../../../canary")},
		"link by a link to the root":  {folder("p/q"), link("p/q/s", "../.."), link("p/q/s/t", "../../../canary")},
		"denormalised by a link":      {folder("p"), link("p/a", ".."), link("l", "p/a/../canary")},
		"back through a link up":      {folder("x/y/z"), link("x/y/z/up", "../../.."), link("x/y/z/l", "up/../canary")},
		"hard link out":               {hard("h", "../canary")},
		"hard link absolute":          {hard("h", s.in("canary"))},
		"hard link of a link":         {folder("a/b"), link("a/b/l", "../../x"), hard("l2", "a/b/l")},
		"file through a link to root": {folder("p"), link("p/s", ".."), file("p/s/../../canary")},
		"device":                      {{name: "d", kind: tar.TypeChar}},
		"block device":                {{name: "d", kind: tar.TypeBlock}},
		"fifo":                        {{name: "d", kind: tar.TypeFifo}},
		"empty link":                  {link("l", "")},
	} {
		t.Run(name, func(t *testing.T) {
			got := s.upload("path=target&extract=tar", tarOf(t, entries...))
			wantProblem(t, got, 400, "VALIDATION")
			if s.content("canary") != "alive" || exists(s.in("x")) {
				t.Fatal("it wrote outside")
			}
			must(t, os.RemoveAll(s.in("target")))
			must(t, os.Mkdir(s.in("target"), 0o755))
		})
	}
}

func TestTarDoesNotFollowLinksThatWereThere(t *testing.T) {
	s := start(t)
	outside := filepath.Join(filepath.Dir(s.workspace), "outside")
	must(t, os.Mkdir(outside, 0o755))
	must(t, os.Mkdir(s.in("target"), 0o755))
	must(t, os.Symlink(outside, s.in("target/out")))
	wantProblem(t, s.upload("path=target&extract=tar", tarOf(t, tarEntry{name: "out/file", body: "x"})), 400, "VALIDATION")
	if exists(filepath.Join(outside, "file")) {
		t.Fatal("it wrote through the link")
	}
	if got := s.upload("path=target&extract=tar", tarOf(t, tarEntry{name: "out", body: "x"})); got.status != 200 || s.content("target/out") != "x" {
		t.Fatalf("a link in the way is replaced: %d %s", got.status, got.body)
	}
}

func TestTarConflictsNameTheEntry(t *testing.T) {
	s := start(t)
	must(t, os.MkdirAll(s.in("folder"), 0o755))
	for _, entry := range []tarEntry{{name: "folder", body: "x"}, {name: "folder", link: "x", kind: tar.TypeSymlink}} {
		got := s.upload("path=.&extract=tar", tarOf(t, tarEntry{name: "first", body: "1"}, entry))
		wantProblem(t, got, 409, "INVALID_STATE")
		if !bytes.Contains(got.body, []byte("folder")) || !bytes.Contains(got.body, []byte("after 1 entries")) || s.content("first") != "1" {
			t.Fatalf("%s", got.body)
		}
	}
}

func TestSparseBombIsRefused(t *testing.T) {
	s := start(t)
	old := []byte(tarOf(t, tarEntry{name: "bomb"}))
	old[156] = tar.TypeGNUSparse
	copy(old[257:], "ustar  \x00")                    // GNU's magic
	copy(old[386:], "00000000000\x0000000000000\x00") // one part, empty
	copy(old[483:], "77777777777\x00")                // 8 GiB when it is unpacked
	copy(old[148:], fmt.Sprintf("%06o\x00 ", checksum(old[:512])))
	pax := paxSparse(tarOf(t, tarEntry{name: "bomb", body: "0\n" + strings.Repeat("\x00", 510)}))
	for name, raw := range map[string]string{"old GNU": string(old), "PAX": pax} {
		got := s.upload("path=.&extract=tar", raw)
		wantProblem(t, got, 400, "VALIDATION")
		if !bytes.Contains(got.body, []byte("sparse")) || exists(s.in("bomb")) {
			t.Errorf("%s: %s", name, got.body)
		}
	}
}

func checksum(header []byte) int {
	sum := 8 * int(' ')
	for i, b := range header {
		if i < 148 || i >= 156 {
			sum += int(b)
		}
	}
	return sum
}

// paxSparse puts an extended header in front that makes the first entry sparse, of 1 TB.
func paxSparse(archive string) string {
	records := ""
	for _, record := range []string{"GNU.sparse.major=1", "GNU.sparse.minor=0", "GNU.sparse.name=bomb", "GNU.sparse.realsize=1000000000000"} {
		records += fmt.Sprintf("%d %s\n", len(record)+4, record) // two digits, a space, the record, a newline
	}
	header := make([]byte, 512)
	copy(header, "pax")
	copy(header[100:], "0000644\x00")
	copy(header[108:], "0000000\x000000000\x00")
	copy(header[124:], fmt.Sprintf("%011o\x00", len(records)))
	copy(header[136:], "00000000000\x00")
	header[156] = tar.TypeXHeader
	copy(header[257:], "ustar\x0000")
	copy(header[148:], fmt.Sprintf("%06o\x00 ", checksum(header)))
	padded := records + strings.Repeat("\x00", 512-len(records)%512)
	return string(header) + padded + archive
}

func TestTruncatedTarIsRefused(t *testing.T) {
	s := start(t)
	whole := tarOf(t, tarEntry{name: "f", body: strings.Repeat("x", 4000)})
	wantProblem(t, s.upload("path=.&extract=tar", whole[:2000]), 400, "VALIDATION")
	if exists(s.in("f")) || len(s.leftovers()) != 0 {
		t.Fatal("a part of a file was put in place")
	}
}

func TestArchiveOfSomethingUnreadableIsCutNotShort(t *testing.T) {
	s := startUnprivileged(t)
	s.sh("echo x > closed; chmod 0 closed; mkdir other")
	wantProblem(t, s.download("path=closed"), 403, "FORBIDDEN")
	request := s.request("GET", "/v1/files/download?path=.&archive=tar", "")
	request.Header.Set("Authorization", "Bearer "+s.anything())
	response, err := s.client.Do(request)
	if err != nil {
		return // cut before its head
	}
	defer response.Body.Close()
	if _, err := io.ReadAll(response.Body); err == nil {
		t.Fatal("an incomplete archive ended as if it were whole")
	}
}

func TestFilesOfOthersAreForbidden(t *testing.T) {
	s := startUnprivileged(t)
	wantProblem(t, s.upload("path=/etc/evil", "x"), 403, "FORBIDDEN")
	wantProblem(t, s.upload("path=/evil/x&parents=true", "x"), 403, "FORBIDDEN")
	wantProblem(t, s.upload("path=/etc&extract=tar", tarOf(t, tarEntry{name: "evil", body: "x"})), 403, "FORBIDDEN")
}
