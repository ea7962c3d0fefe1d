package files

import (
	"archive/tar"
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzExtract unpacks raw bytes: whatever they are, nothing outside of the target changes.
func FuzzExtract(f *testing.F) {
	f.Add([]byte{})
	f.Add(script([]byte("0a 2b>.. 2b/c>../.. 1a/b>../x")))
	f.Add(script([]byte("5a/b 2a/b/l>../.. 0a/b/l/evil")))
	f.Fuzz(func(t *testing.T, raw []byte) { extractInto(t, raw) })
}

// FuzzExtractScript unpacks well-formed archives of odd names and links, which random bytes seldom are.
func FuzzExtractScript(f *testing.F) {
	for _, seed := range []string{
		"0a", "5a 0a/b", "2l>a 0l", "2l>.. 0l/x", "2p/q/s>../.. 2p/q/s/t>../../../x", "2p/a>.. 2l>p/a/../x", "5a/b 2a/b/l>../../x 1m>a/b/l",
		"2a>b 2b>a 0a", "0a/../../x", "0/x", "2l>/etc", "5d 2d>x", "0f 5f", "1h>f", "2a>. 2a/b>..", "2s>d 5d/e 2s/e/l>../../..", "2a>b/.. 5b",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) { extractInto(t, script(text)) })
}

// script makes an archive of words: a type flag, a name, and after > a link's target.
func script(text []byte) []byte {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, word := range strings.Fields(string(text)) {
		name, target, _ := strings.Cut(word[1:], ">")
		header := &tar.Header{Typeflag: word[0], Name: name, Linkname: target, Mode: 0o7777}
		if word[0] == tar.TypeReg {
			header.Size = 4
		}
		if w.WriteHeader(header) == nil && header.Size > 0 {
			_, _ = io.WriteString(w, "evil")
		}
	}
	_ = w.Close()
	return out.Bytes()
}

// extractInto checks that nothing is made outside of the target and that no link inside leads out.
func extractInto(t *testing.T, raw []byte) {
	outside, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(outside, "1", "2", "target")
	if err := os.MkdirAll(target, 0o755); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(target)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	_ = (&extraction{root: root}).run(bytes.NewReader(raw))
	_ = filepath.WalkDir(outside, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			t.Fatal(err)
		}
		inside := path == target || strings.HasPrefix(path, target+"/")
		if !inside && !strings.HasPrefix(target, path) {
			t.Fatalf("%s was made outside of the target", path)
		}
		if entry.Type() == fs.ModeSymlink && !leadsInside(target, path) {
			end, _ := os.Readlink(path)
			t.Fatalf("%s leads out, to %s", path, end)
		}
		if info, err := entry.Info(); err == nil && inside && info.Mode()&(fs.ModeSetuid|fs.ModeSetgid|fs.ModeSticky|fs.ModeDevice|fs.ModeNamedPipe|fs.ModeSocket) != 0 {
			t.Fatalf("%s is %v", path, info.Mode())
		}
		return nil
	})
}

// leadsInside follows the link as the kernel would, step by step, so that a dangling one counts as well.
func leadsInside(target, link string) bool {
	at, rest := filepath.Dir(link), []string{filepath.Base(link)}
	for steps := 0; len(rest) > 0 && steps < 200; steps++ {
		part := rest[0]
		rest = rest[1:]
		next := filepath.Join(at, part)
		if end, err := os.Readlink(next); err == nil && part != ".." && part != "." {
			rest = append(strings.Split(end, "/"), rest...)
			if filepath.IsAbs(end) {
				return false
			}
			continue
		}
		at = next
		if at != target && !strings.HasPrefix(at, target+"/") {
			return false
		}
	}
	return true
}

func FuzzResolve(f *testing.F) {
	for _, seed := range []string{"", "a", "../../x", "/", "//a/./b/..", "a\x00b", "é\xff", "~", "a/"} {
		f.Add(seed)
	}
	home := &files{workspace: "/workspace"}
	f.Fuzz(func(t *testing.T, path string) {
		got, err := home.resolve(path)
		if err != nil {
			if path != "" && !strings.ContainsRune(path, 0) {
				t.Fatalf("%q: %v", path, err)
			}
			return
		}
		if !filepath.IsAbs(got) || filepath.Clean(got) != got || strings.ContainsRune(got, 0) {
			t.Fatalf("%q became %q", path, got)
		}
		if again, err := home.resolve(got); err != nil || again != got {
			t.Fatalf("%q became %q, then %q", path, got, again)
		}
	})
}
