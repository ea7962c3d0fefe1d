package trees

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestTreesOfAnyDepthAreRemovedWithFewDescriptors makes two arms of 3,000 levels with a file in each.
func TestTreesOfAnyDepthAreRemovedWithFewDescriptors(t *testing.T) {
	top := filepath.Join(t.TempDir(), "top")
	for _, arm := range []string{"a", "b"} {
		deepen(t, filepath.Join(top, arm), 3000)
	}
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	few := unix.Rlimit{Cur: 64, Max: before.Max}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &few); err != nil {
		t.Fatal(err)
	}
	err := Remove(top)
	if restored := unix.Setrlimit(unix.RLIMIT_NOFILE, &before); restored != nil {
		t.Fatal(restored)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(top); !os.IsNotExist(err) {
		t.Fatalf("it is still there: %v", err)
	}
}

func deepen(t *testing.T, start string, levels int) {
	if err := os.MkdirAll(start, 0o755); err != nil {
		t.Fatal(err)
	}
	at, err := unix.Open(start, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	for range levels {
		if err != nil {
			t.Fatal(err)
		}
		if err := unix.Symlinkat("/", at, "link"); err != nil {
			t.Fatal(err)
		}
		if err := unix.Mkdirat(at, "deep", 0o755); err != nil {
			t.Fatal(err)
		}
		below, failed := unix.Openat(at, "deep", unix.O_RDONLY|unix.O_DIRECTORY, 0)
		_ = unix.Close(at)
		at, err = below, failed
	}
	_ = unix.Close(at)
}

func TestWhatIsNoFolderIsRemovedAndLinksAreNotFollowed(t *testing.T) {
	folder := t.TempDir()
	kept := filepath.Join(folder, "kept")
	if err := os.WriteFile(kept, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"file": "", "link": kept, "to-folder": folder, "dangling": "/nowhere"} {
		path := filepath.Join(folder, name)
		err := os.WriteFile(path, nil, 0o644)
		if target != "" {
			_ = os.Remove(path)
			err = os.Symlink(target, path)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := Remove(path); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	left, err := os.ReadDir(folder)
	if err != nil || len(left) != 1 {
		t.Errorf("%v %v", left, err)
	}
	if err := Remove(filepath.Join(folder, "absent")); err != nil {
		t.Errorf("what is not there: %v", err)
	}
}

func TestManyEntriesAreRemoved(t *testing.T) {
	top := filepath.Join(t.TempDir(), "top")
	for i := range 3 * batch {
		if err := os.MkdirAll(filepath.Join(top, "sub", strings.Repeat("n", 1+i%100), string(rune('a'+i%26)), "x"+strings.Repeat("y", i/100)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := Remove(top); err != nil {
		t.Fatal(err)
	}
}
