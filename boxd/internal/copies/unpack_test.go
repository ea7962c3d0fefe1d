package copies

import (
	"archive/tar"
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// archive has what steps leave that were run with a narrow umask, and what a hostile one would.
func archive(t *testing.T, headers ...tar.Header) *bytes.Buffer {
	t.Helper()
	var out bytes.Buffer
	to := tar.NewWriter(&out)
	for _, header := range headers {
		if header.Typeflag == tar.TypeReg {
			header.Size = 2
		}
		if err := to.WriteHeader(&header); err != nil {
			t.Fatal(err)
		}
		if header.Typeflag == tar.TypeReg {
			if _, err := to.Write([]byte("x\n")); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return &out
}

func TestWhatIsUnpackedCanBeReadByEverySandbox(t *testing.T) {
	folder := t.TempDir()
	in := archive(t,
		tar.Header{Typeflag: tar.TypeDir, Name: "bin/", Mode: 0o700},
		tar.Header{Typeflag: tar.TypeReg, Name: "bin/tool", Mode: 0o4700},
		tar.Header{Typeflag: tar.TypeReg, Name: "notes", Mode: 0o000},
		tar.Header{Typeflag: tar.TypeSymlink, Name: "python", Linkname: "/usr/bin/python3"},
		tar.Header{Typeflag: tar.TypeSymlink, Name: "out", Linkname: folder + "-other"},
		tar.Header{Typeflag: tar.TypeReg, Name: "out/file", Mode: 0o644},
		tar.Header{Typeflag: tar.TypeReg, Name: "../above", Mode: 0o644},
		tar.Header{Typeflag: tar.TypeFifo, Name: "fifo", Mode: 0o644},
	)
	root, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	done, err := unpack(root, in, wide)
	if err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{"bin": os.ModeDir | 0o755, "bin/tool": 0o755, "notes": 0o644} {
		if info, err := os.Lstat(filepath.Join(folder, name)); err != nil || info.Mode() != mode {
			t.Errorf("%s: %v %v, want %v", name, info, err, mode)
		}
	}
	if to, err := os.Readlink(filepath.Join(folder, "python")); err != nil || to != "/usr/bin/python3" {
		t.Errorf("python leads to %q, %v", to, err)
	}
	if len(done.Skipped) != 3 {
		t.Errorf("skipped %v, want what lies beyond a link, above, and the fifo", done.Skipped)
	}
	if _, err := os.Stat(folder + "-other"); !os.IsNotExist(err) {
		t.Errorf("something was written through a link: %v", err)
	}
}
