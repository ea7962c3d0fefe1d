package jail_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// hostFolder is a folder of the host outside /tmp, which the launcher covers.
func hostFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for path := dir; path != os.TempDir() && path != "/"; path = filepath.Dir(path) {
		_ = os.Chmod(path, 0o755)
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte("of the host"), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func (b *box) mounts(mounts ...map[string]any) *box {
	b.spec["mounts"] = mounts
	return b
}

func TestFoldersOfTheHostAreMountedReadOnlyAndWritable(t *testing.T) {
	readOnly, writable := hostFolder(t), hostFolder(t)
	if err := os.Chmod(writable, 0o777); err != nil {
		t.Fatal(err)
	}
	b := describe(t).mounts(
		map[string]any{"source": readOnly, "target": "/data"},
		map[string]any{"source": writable, "target": "/workspace/deep/out", "writable": true},
		map[string]any{"tmpfs_bytes": 1 << 20, "target": "/scratch", "writable": true},
		map[string]any{"tmpfs_bytes": 1 << 20, "target": "/run/secrets", "writable": true},
	).start()
	b.says("cat /data/file", "of the host")
	if got := b.sh("echo x > /data/x"); !strings.Contains(got.Err, "Read-only file system") {
		t.Errorf("writing into a read-only mount: %q", got.Err)
	}
	b.says("echo inside > /workspace/deep/out/new && echo ok", "ok")
	if text, err := os.ReadFile(filepath.Join(writable, "new")); err != nil || string(text) != "inside\n" {
		t.Errorf("the host sees %q, %v", text, err)
	}
	if got := b.sh("head -c 2000000 /dev/zero > /scratch/big"); !strings.Contains(got.Err, "No space left") {
		t.Errorf("a tmpfs of 1 MiB took 2 MB: %q", got.Err)
	}
	for _, target := range []string{"/data", "/workspace/deep/out", "/scratch"} {
		if line := b.sh("grep ' " + target + " ' /proc/self/mountinfo").Out; !strings.Contains(line, "nosuid") || !strings.Contains(line, "nodev") {
			t.Errorf("%s is mounted as %q", target, line)
		}
	}
}

func TestAMountBelowAReadOnlySourceIsReadOnlyToo(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Log("only root can mount on the host: what the platform refuses is tested there")
		return
	}
	outer := hostFolder(t)
	inner := filepath.Join(outer, "inner")
	if err := os.Mkdir(inner, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", inner, "tmpfs", 0, "mode=777"); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Unmount(inner, syscall.MNT_DETACH) }()
	if err := os.WriteFile(filepath.Join(inner, "control"), nil, 0o644); err != nil {
		t.Fatalf("control: %v", err)
	}
	b := describe(t).mounts(map[string]any{"source": outer, "target": "/data"}).start()
	if got := b.sh("echo x > /data/inner/x"); !strings.Contains(got.Err, "Read-only file system") {
		t.Errorf("writing below: %q %q", got.Out, got.Err)
	}
}

func TestAFolderOfTheHostIsTheWorkspaceAndHasOtherMountsBelow(t *testing.T) {
	shared, skill, readOnly := hostFolder(t), hostFolder(t), hostFolder(t)
	if err := os.Chmod(shared, os.ModeSticky|0o777); err != nil {
		t.Fatal(err)
	}
	b := describe(t).mounts(
		map[string]any{"tmpfs_bytes": 1 << 20, "target": "/workspace/.mcp/one", "writable": true},
		map[string]any{"source": skill, "target": "/workspace/.skills/search"},
		map[string]any{"source": shared, "target": "/workspace", "writable": true},
	).start()
	b.says("cat file .skills/search/file", "of the hostof the host")
	b.says("echo inside > new && echo tool > .mcp/one/tool && cat .mcp/one/tool", "tool")
	if text, err := os.ReadFile(filepath.Join(shared, "new")); err != nil || string(text) != "inside\n" {
		t.Errorf("the host sees %q, %v", text, err)
	}
	for _, point := range []string{".skills/search", ".mcp/one"} {
		if entries, err := os.ReadDir(filepath.Join(shared, point)); err != nil || len(entries) > 0 {
			t.Errorf("at %s the host sees %v, %v", point, entries, err)
		}
	}
	if got := b.sh("echo x > .skills/search/x"); !strings.Contains(got.Err, "Read-only file system") {
		t.Errorf("writing into a read-only mount: %q", got.Err)
	}
	if err := os.Mkdir(filepath.Join(readOnly, "skill"), 0o755); err != nil {
		t.Fatal(err)
	}
	c := describe(t).mounts(
		map[string]any{"source": readOnly, "target": "/workspace"},
		map[string]any{"source": skill, "target": "/workspace/skill"},
	).start()
	c.says("cat file skill/file", "of the hostof the host")
	if got := c.sh("echo x > x"); !strings.Contains(got.Err, "Read-only file system") {
		t.Errorf("writing into a read-only workspace: %q", got.Err)
	}
}

func TestAMountPointThatASandboxHasReplacedIsRefused(t *testing.T) {
	shared, skill, target := hostFolder(t), hostFolder(t), hostFolder(t)
	if err := os.Symlink(target, filepath.Join(shared, "link")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"link/made": "is a link or a file", "link": "is a link or a file", "file/made": "is a link or a file", "gone": "is read-only",
	} {
		b := describe(t).mounts(
			map[string]any{"source": shared, "target": "/workspace", "writable": path != "gone"},
			map[string]any{"source": skill, "target": "/workspace/" + path},
		)
		if _, err := b.launch(); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "VALIDATION") {
			t.Errorf("%s: %v", path, err)
		}
		if _, err := os.Stat(b.dir); !os.IsNotExist(err) {
			t.Errorf("%s left its folder: %v", path, err)
		}
	}
	if _, err := os.Stat(filepath.Join(target, "made")); !os.IsNotExist(err) {
		t.Errorf("a folder was made where the link leads: %v", err)
	}
}

func TestMountsThatLeadElsewhereAreRefused(t *testing.T) {
	dir := hostFolder(t)
	if err := os.Symlink("/etc", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for _, one := range []struct {
		mount map[string]any
		want  string
	}{
		{map[string]any{"source": filepath.Join(dir, "link"), "target": "/data"}, "without links"},
		{map[string]any{"source": filepath.Join(dir, "link", "ssl"), "target": "/data"}, "without links"},
		{map[string]any{"source": filepath.Join(dir, "file"), "target": "/data"}, "without links"},
		{map[string]any{"source": filepath.Join(dir, "gone"), "target": "/data"}, "cannot be opened"},
		{map[string]any{"source": dir, "target": "/var/run/x"}, "jail's own"},
		{map[string]any{"source": dir, "target": "/run/secrets"}, "jail's own"},
		{map[string]any{"tmpfs_bytes": 1 << 20, "target": "/run/other"}, "jail's own"},
		{map[string]any{"source": dir, "target": "/data/../etc"}, "clean"},
		{map[string]any{"source": dir, "target": "/usr/local"}, "jail's own"},
		{map[string]any{"tmpfs_bytes": 1 << 20, "target": "/workspace"}, "jail's own"},
		{map[string]any{"target": "/data"}, "either a source, an image or a size"},
	} {
		b := describe(t).mounts(one.mount)
		if _, err := b.launch(); err == nil || !strings.Contains(err.Error(), one.want) || !strings.Contains(err.Error(), "VALIDATION") {
			t.Errorf("%v: %v", one.mount, err)
		}
		if _, err := os.Stat(b.dir); !os.IsNotExist(err) {
			t.Errorf("%v left its folder: %v", one.mount, err)
		}
	}
}

func TestBoxdSaysWhatIsMounted(t *testing.T) {
	dir := hostFolder(t)
	b := describe(t).mounts(map[string]any{"source": dir, "target": "/data"}).start()
	code, text := b.call(http.MethodPost, "/v1/control/mounts", "admin", []byte(`{"paths": ["/data", "/workspace"]}`))
	var reply struct {
		Mounts map[string]string `json:"mounts"`
	}
	if err := json.Unmarshal(text, &reply); err != nil || code != http.StatusOK {
		t.Fatalf("%d %s", code, text)
	}
	var stat syscall.Stat_t
	if err := syscall.Stat(dir, &stat); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("%d:%d", stat.Dev, stat.Ino); reply.Mounts["/data"] != want || reply.Mounts["/workspace"] == want {
		t.Errorf("mounted are %v, wanted %s at /data", reply.Mounts, want)
	}
	if code, text := b.call(http.MethodPost, "/v1/control/mounts", "admin", []byte(`{"paths": ["/gone"]}`)); code != http.StatusBadRequest {
		t.Errorf("a path that is not there: %d %s", code, text)
	}
	if code, _ := b.call(http.MethodPost, "/v1/control/mounts", "exec", []byte(`{"paths": []}`)); code != http.StatusForbidden {
		t.Errorf("without the capability: %d", code)
	}
}
