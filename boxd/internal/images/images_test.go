package images_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sys/unix"

	"dev.sandboxer/boxd/internal/images"
)

// entry is one of an archive, whose name and target stand in it as they are.
func entry(kind byte, name, target string, mode int64, content string) tar.Header {
	return tar.Header{Typeflag: kind, Name: name, Linkname: target, Mode: mode, Size: int64(len(content)), PAXRecords: map[string]string{"SANDBOXER.content": content}}
}

func file(name, content string) tar.Header { return entry(tar.TypeReg, name, "", 0o644, content) }
func folder(name string) tar.Header        { return entry(tar.TypeDir, name, "", 0o755, "") }
func symlink(name, to string) tar.Header   { return entry(tar.TypeSymlink, name, to, 0o777, "") }
func hardlink(name, to string) tar.Header  { return entry(tar.TypeLink, name, to, 0o644, "") }

func archive(t *testing.T, entries ...tar.Header) []byte {
	t.Helper()
	var out bytes.Buffer
	to := tar.NewWriter(&out)
	for _, one := range entries {
		content := one.PAXRecords["SANDBOXER.content"]
		delete(one.PAXRecords, "SANDBOXER.content")
		one.ModTime = time.Unix(1_700_000_000, 0)
		if err := to.WriteHeader(&one); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(to, content); err != nil {
			t.Fatal(err)
		}
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// store is the folder of a test, and what stands outside of it.
type store struct {
	t       *testing.T
	folder  string
	request images.Request
	said    map[string]string
}

func newStore(t *testing.T) *store {
	home := t.TempDir()
	return &store{t: t, folder: filepath.Join(home, "store"), request: images.Request{
		Store: filepath.Join(home, "store"), Image: "localhost/tool:latest", Key: "k", Architecture: runtime.GOARCH,
		Limits: images.Limits{Bytes: 64 << 20, Files: 1000},
	}}
}

func (s *store) run(verb string, request any) int {
	s.t.Helper()
	text, err := json.Marshal(request)
	if err != nil {
		s.t.Fatal(err)
	}
	open, end := io.Pipe()
	defer end.Close()
	var out bytes.Buffer
	code := images.Main([]string{verb}, io.MultiReader(bytes.NewReader(text), open), &out)
	s.said = map[string]string{}
	for line := range strings.Lines(out.String()) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		s.said[name] = value
	}
	return code
}

// unpack has the store take a local archive.
func (s *store) unpack(content []byte) int {
	s.t.Helper()
	s.request.Place = filepath.Join(s.t.TempDir(), "tool.tar")
	if err := os.WriteFile(s.request.Place, content, 0o600); err != nil {
		s.t.Fatal(err)
	}
	return s.run("fetch", s.request)
}

func (s *store) works(content []byte) string {
	s.t.Helper()
	if s.unpack(content) != 0 {
		s.t.Fatalf("refused: %v", s.said)
	}
	return filepath.Join(s.said["place"], "root")
}

func (s *store) refuses(code, message string, content []byte) {
	s.t.Helper()
	if s.unpack(content) == 0 || s.said["error.code"] != code || !strings.Contains(s.said["error.message"], message) {
		s.t.Errorf("said %v, want %s with %q", s.said, code, message)
	}
	left, _ := filepath.Glob(filepath.Join(s.folder, "parts", "*"))
	made, _ := filepath.Glob(filepath.Join(s.folder, "sha256-*"))
	if len(left)+len(made) > 0 {
		s.t.Errorf("left behind: %v %v", left, made)
	}
}

func has(t *testing.T, path, content string) {
	t.Helper()
	if text, err := os.ReadFile(path); err != nil || string(text) != content {
		t.Errorf("%s: %q %v, want %q", path, text, err, content)
	}
}

func TestAFileSystemIsUnpackedWhateverItsCompression(t *testing.T) {
	plain := archive(t, folder("./usr/"), file("usr/bin/tool", "x"), symlink("bin", "usr/bin"), hardlink("usr/bin/two", "/usr/bin/tool"),
		file(strings.Repeat("long/", 60)+"name", "far"))
	var zipped, squeezed bytes.Buffer
	gz := gzip.NewWriter(&zipped)
	_, _ = gz.Write(plain)
	_ = gz.Close()
	zs, _ := zstd.NewWriter(&squeezed)
	_, _ = zs.Write(plain)
	_ = zs.Close()
	for _, content := range [][]byte{plain, zipped.Bytes(), squeezed.Bytes()} {
		root := newStore(t).works(content)
		has(t, filepath.Join(root, "usr/bin/two"), "x")
		has(t, filepath.Join(root, strings.Repeat("long/", 60)+"name"), "far")
		if target, _ := os.Readlink(filepath.Join(root, "bin")); target != "usr/bin" {
			t.Errorf("bin leads to %q", target)
		}
		info, err := os.Stat(filepath.Join(root, "usr/bin/tool"))
		if err != nil || info.ModTime().Unix() != 1_700_000_000 {
			t.Errorf("changed at %v %v", info, err)
		}
	}
}

func TestTheJailsOwnFilesReplaceTheImages(t *testing.T) {
	root := newStore(t).works(archive(t, symlink("etc/resolv.conf", "/run/x"), file("etc/hosts", "1.2.3.4 evil"), file("etc/passwd", "me")))
	has(t, filepath.Join(root, "etc/resolv.conf"), "# no network\n")
	has(t, filepath.Join(root, "etc/passwd"), "me")
	if text, _ := os.ReadFile(filepath.Join(root, "etc/hosts")); strings.Contains(string(text), "evil") {
		t.Errorf("hosts: %s", text)
	}
}

func TestNoNameLeadsOut(t *testing.T) {
	for _, name := range []string{"../x", "a/../../x", "/../x", "a/.."} {
		newStore(t).refuses("VALIDATION", "leads out", archive(t, file(name, "x")))
	}
	newStore(t).refuses("VALIDATION", "hard link", archive(t, hardlink("x", "../../../etc/passwd")))
	newStore(t).refuses("VALIDATION", "hard link", archive(t, hardlink("x", "/etc/passwd")))
	newStore(t).refuses("VALIDATION", "hard link", archive(t, symlink("out", "/etc"), hardlink("x", "out/passwd")))
	newStore(t).refuses("VALIDATION", "names nothing", archive(t, file("a/.wh...", "")))
}

// A link is never followed: a folder takes its place, as where layers lie on each other.
func TestWhatIsWrittenThroughALinkStaysInside(t *testing.T) {
	outside := t.TempDir()
	keep := filepath.Join(outside, "keep")
	if err := os.WriteFile(keep, []byte("safe"), 0o600); err != nil {
		t.Fatal(err)
	}
	deep := filepath.Join(outside, "sub")
	if err := os.Mkdir(deep, 0o700); err != nil {
		t.Fatal(err)
	}
	up := strings.Repeat("../", 30) + outside[1:]
	for _, target := range []string{outside, up} {
		root := newStore(t).works(archive(t, symlink("out", target), file("out/keep", "hurt"), symlink("far", target), file("far/sub/new", "hurt"), symlink("direct", filepath.Join(target, "keep")),
			file("direct", "hurt"), symlink("gone", target), file("gone/.wh.keep", ""), symlink("empty", target), file("empty/.wh..wh..opq", "")))
		has(t, keep, "safe")
		exist(t, filepath.Join(deep, "new"), false)
		has(t, filepath.Join(root, "out/keep"), "hurt")
		has(t, filepath.Join(root, "direct"), "hurt")
	}
}

func TestDevicesAreLeftOutAndRightsDropped(t *testing.T) {
	s := newStore(t)
	suid := entry(tar.TypeReg, "su", "", 0o6755, "x")
	suid.Uid = 12345
	suid.PAXRecords["SCHILY.xattr.user.mark"] = "1"
	root := s.works(archive(t, entry(tar.TypeChar, "dev/null", "", 0o666, ""), entry(tar.TypeBlock, "disk", "", 0o666, ""),
		entry(tar.TypeFifo, "pipe", "", 0o666, ""), suid, entry(tar.TypeDir, "closed", "", 0o000, ""), entry(tar.TypeReg, "closed/x", "", 0o000, "y")))
	for _, name := range []string{"dev/null", "disk", "pipe"} {
		if _, err := os.Lstat(filepath.Join(root, name)); err == nil {
			t.Errorf("%s is there", name)
		}
	}
	var found unix.Stat_t
	if err := unix.Stat(filepath.Join(root, "su"), &found); err != nil || found.Mode&0o7777 != 0o755 || int(found.Uid) != os.Geteuid() {
		t.Errorf("su has mode %o of %d: %v", found.Mode, found.Uid, err)
	}
	if n, err := unix.Getxattr(filepath.Join(root, "su"), "user.mark", make([]byte, 10)); err == nil {
		t.Errorf("an attribute of %d bytes is there", n)
	}
	has(t, filepath.Join(root, "closed/x"), "y")
}

func TestAnImageHasAnEnd(t *testing.T) {
	large := archive(t, entry(tar.TypeReg, "big", "", 0o644, strings.Repeat("x", 3<<20)))
	s := newStore(t)
	s.request.Limits.Bytes = 2 << 20
	s.refuses("VALIDATION", "image_max_size", large)
	var many []tar.Header
	for i := range 60 {
		many = append(many, file(fmt.Sprintf("d/f%d", i), ""))
	}
	s = newStore(t)
	s.request.Limits.Files = 50
	s.refuses("VALIDATION", "image_max_files", archive(t, many...))
	newStore(t).refuses("VALIDATION", "more than 2048 bytes", archive(t, file(strings.Repeat("n/", 1500)+"x", "")))
	var wide []tar.Header
	for i := range 300 {
		wide = append(wide, file(fmt.Sprintf("f%d", i), ""))
	}
	newStore(t).refuses("VALIDATION", "in its root", archive(t, wide...))
	newStore(t).refuses("VALIDATION", "unexpected EOF", large[:2<<20])
}

// A terabyte that takes no place in an archive would take it on the disk.
func TestASparseFileCountsWhole(t *testing.T) {
	newStore(t).refuses("VALIDATION", "image_max_size", sparse(1<<40))
	root := newStore(t).works(sparse(8 << 20))
	if info, err := os.Stat(filepath.Join(root, "sparse")); err != nil || info.Size() != 8<<20 {
		t.Errorf("%v %v", info, err)
	}
}

// sparse is an archive in the form that GNU tar writes, with one file that is all hole.
func sparse(size int64) []byte {
	records := fmt.Sprintf("22 GNU.sparse.major=1\n22 GNU.sparse.minor=0\n%s%s", record("GNU.sparse.name", "sparse"), record("GNU.sparse.realsize", fmt.Sprint(size)))
	var out bytes.Buffer
	to := tar.NewWriter(&out)
	_ = to.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "map", Size: 512, Mode: 0o644, Format: tar.FormatUSTAR})
	_, _ = to.Write(append([]byte("1\n"+fmt.Sprint(size)+"\n0\n"), make([]byte, 512-4-len(fmt.Sprint(size))-1)...))
	_ = to.Close()
	var head bytes.Buffer
	extended := tar.NewWriter(&head)
	_ = extended.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "x", Size: int64(len(records)), Mode: 0o644, Format: tar.FormatUSTAR})
	_, _ = io.WriteString(extended, records)
	_ = extended.Flush()
	header := head.Bytes()
	header[156] = 'x'
	checksum(header[:512])
	return append(header, out.Bytes()...)
}

func record(name, value string) string {
	for length := len(name) + len(value) + 3; ; length++ {
		if text := fmt.Sprintf("%d %s=%s\n", length, name, value); len(text) == length {
			return text
		}
	}
}

func checksum(header []byte) {
	copy(header[148:156], "        ")
	sum := 0
	for _, one := range header {
		sum += int(one)
	}
	copy(header[148:156], fmt.Sprintf("%06o\x00 ", sum))
}

func TestAFullDiskIsACapacityAndLeavesNothing(t *testing.T) {
	if os.Geteuid() != 0 {
		return // a small disk of its own needs root
	}
	s := newStore(t)
	if err := os.Mkdir(s.folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", s.folder, "tmpfs", 0, "size=4m"); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Unmount(s.folder, 0) }()
	s.refuses("CAPACITY", "room", archive(t, entry(tar.TypeReg, "big", "", 0o644, strings.Repeat("x", 8<<20))))
}

func TestAFolderIsCopied(t *testing.T) {
	s := newStore(t)
	s.request.Place = t.TempDir()
	if err := os.WriteFile(filepath.Join(s.request.Place, "tool"), []byte("x"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("tool", filepath.Join(s.request.Place, "link")); err != nil {
		t.Fatal(err)
	}
	if s.run("fetch", s.request) != 0 {
		t.Fatalf("%v", s.said)
	}
	has(t, filepath.Join(s.said["place"], "root/link"), "x")
}

func TestWhatIsOldOrTooMuchIsRemoved(t *testing.T) {
	s := newStore(t)
	run := t.TempDir()
	var places []string
	for i := range 4 {
		s.works(archive(t, file("f", strings.Repeat(fmt.Sprint(i), 1<<20))))
		places = append(places, s.said["place"])
		long := time.Now().Add(-time.Duration(10-i) * time.Hour)
		_ = os.Chtimes(filepath.Join(places[i], "used"), long, long)
	}
	jail := filepath.Join(run, "jail")
	_ = os.Mkdir(jail, 0o700)
	_ = os.WriteFile(filepath.Join(jail, "state"), []byte("image="+places[0]+"\n"), 0o600)
	remain := filepath.Join(s.folder, "parts", "new-1")
	_ = os.MkdirAll(filepath.Join(remain, "root"), 0o700)
	sweep := images.Sweep{Store: s.folder, Run: run, MostBytes: 5 << 19, UnusedSeconds: 3600 * 24}
	if s.run("sweep", sweep) != 0 || s.said["removed"] != filepath.Base(places[1])+","+filepath.Base(places[2]) {
		t.Errorf("%v", s.said)
	}
	exist(t, places[0], true) // it was used least recently, and a jail uses it
	exist(t, places[3], true)
	exist(t, remain, false)
	_ = os.RemoveAll(jail)
	long := time.Now().Add(-100 * time.Hour)
	_ = os.Chtimes(filepath.Join(places[0], "used"), long, long)
	if s.run("sweep", sweep) != 0 || s.said["removed"] != filepath.Base(places[0]) {
		t.Errorf("%v", s.said)
	}
}

func exist(t *testing.T, path string, want bool) {
	t.Helper()
	if _, err := os.Stat(path); (err == nil) != want {
		t.Errorf("%s: there %v, want %v", path, err == nil, want)
	}
}
