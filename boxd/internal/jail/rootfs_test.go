package jail_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// unpacked is an image as the program images leaves one, with the prober as its one program.
func unpacked(t *testing.T, about string) string {
	t.Helper()
	place := filepath.Join(t.TempDir(), "sha256-1")
	if err := os.MkdirAll(filepath.Join(place, "root", "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(boxd)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"root/bin/tool": program, "root/file": []byte("of the image"), "about": []byte(about)} {
		if err := os.WriteFile(filepath.Join(place, name), content, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return place
}

func TestAnImageIsTheRoot(t *testing.T) {
	place := unpacked(t, "image=x\nbytes=1\nfiles=1\nenv=PATH=/bin\nenv=ODD=\"a\\b\" é\n")
	for name, target := range map[string]string{"proc": "/", "tmp": "/etc", "workspace": "/", "dev": "../../..", ".sandboxer": "/", "run": "/root", "out": "/"} {
		if err := os.Symlink(target, filepath.Join(place, "root", name)); err != nil {
			t.Fatal(err)
		}
	}
	b := describe(t)
	b.spec["image"] = place
	b.start()
	if got := b.exec([]string{"tool", "version"}); !strings.HasPrefix(got.Out, "boxd ") {
		t.Errorf("%+v", got)
	}
	state, err := os.ReadFile(filepath.Join(b.dir, "state"))
	if err != nil || !strings.Contains(string(state), "image="+place+"\n") {
		t.Errorf("state: %s %v", state, err)
	}
}

func TestAnImageThatIsGoneMakesNothing(t *testing.T) {
	b := describe(t)
	b.spec["image"] = filepath.Join(t.TempDir(), "sha256-none")
	if _, err := b.launch(); err == nil || !strings.Contains(err.Error(), "UNAVAILABLE: the image sha256-none") {
		t.Errorf("%v", err)
	}
}

// The image itself stays as it is: others use it.
func TestAMountPointThatAnImageLacksIsMade(t *testing.T) {
	place := unpacked(t, "env=PATH=/bin\n")
	app := filepath.Join(place, "root/srv/app")
	source := t.TempDir()
	for _, dir := range []string{filepath.Join(app, "sub"), filepath.Join(source, "x")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for path, content := range map[string]string{app + "/file": "beside", app + "/sub/file": "deep", source + "/data": "mounted"} {
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("file", app+"/link"); err != nil {
		t.Fatal(err)
	}
	b := describe(t)
	b.spec["image"] = place
	b.spec["mounts"] = []map[string]any{{"source": source, "target": "/srv/app/data"}, {"tmpfs_bytes": 4096, "target": "/srv/app/more/deep", "writable": true}}
	b.start()
	for path, want := range map[string]string{"data/data": "mounted", "file": "beside", "link": "beside", "sub/file": "deep"} {
		if code, text := b.call(http.MethodGet, "/v1/files/download?path=/srv/app/"+path, "fs_read", nil); code != http.StatusOK || string(text) != want {
			t.Errorf("%s: %d %q, want %q", path, code, text, want)
		}
	}
	for _, path := range []string{"new", "sub/new", "more/new", "data/new"} {
		if code, text := b.call(http.MethodPost, "/v1/files/upload?path=/srv/app/"+path, "fs_write", []byte("x")); code < 400 {
			t.Errorf("%s was written: %d %s", path, code, text)
		}
	}
	if names, _ := filepath.Glob(app + "/*"); len(names) != 3 {
		t.Errorf("the image has now %v", names)
	}
}
