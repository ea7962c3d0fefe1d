package jail_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const imageBytes = "16777216"

// volume runs one verb on the host; what it prints, also where it fails.
func volume(words ...string) (string, bool) {
	text, err := exec.Command(boxd, append([]string{"volume"}, words...)...).CombinedOutput()
	return string(text), err == nil
}

func mustVolume(t *testing.T, words ...string) string {
	t.Helper()
	text, done := volume(words...)
	if !done {
		t.Fatalf("volume %v: %s", words, text)
	}
	return text
}

// disk makes a volume that ends with the test.
func disk(t *testing.T) string {
	t.Helper()
	image := filepath.Join(t.TempDir(), "v", "disk")
	mustVolume(t, "make", "--image", image, "--bytes", imageBytes)
	t.Cleanup(func() { _, _ = volume("remove", "--image", image) })
	return image
}

func onlyRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root may mount disks; TestOthersHaveNoVolumes is for others")
	}
}

func TestOthersHaveNoVolumes(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may")
	}
	text, done := volume("make", "--image", filepath.Join(t.TempDir(), "disk"), "--bytes", imageBytes)
	if done || !strings.Contains(text, "error.code=UNSUPPORTED") {
		t.Errorf("%t %s", done, text)
	}
}

func TestAVolumeIsHandedFromOneUserToTheNext(t *testing.T) {
	onlyRoot(t)
	image := disk(t)
	mount := map[string]any{"image": image, "target": "/data", "writable": true}
	first := describe(t).mounts(mount).start()
	first.says("ls -A /data && umask 077 && mkdir /data/d && echo kept > /data/d/f && stat -c %u:%g /data/d/f", "1000:1000")
	if line := first.sh("grep ' /data ' /proc/self/mountinfo").Out; !strings.Contains(line, "nosuid") || !strings.Contains(line, "nodev") {
		t.Errorf("mounted as %q", line)
	}
	if got := first.sh("head -c 20000000 /dev/zero > /data/big; rm /data/big"); !strings.Contains(got.Err, "No space left") {
		t.Errorf("a volume of 16 MiB took 20 MB: %q", got.Err)
	}
	if text, done := volume("remove", "--image", image); done || !strings.Contains(text, "still mounted") {
		t.Errorf("removed under a jail: %t %s", done, text)
	}
	if _, err := first.kill(); err != nil {
		t.Fatal(err)
	}
	second := describe(t).mounts(map[string]any{"image": image, "target": "/data"}).start()
	third := describe(t).mounts(map[string]any{"image": image, "target": "/data"}).start()
	for _, reader := range []*box{second, third} {
		reader.says("cat /data/d/f && stat -c %u /data/d/f", "kept\n1000")
		if got := reader.sh("echo x > /data/x"); !strings.Contains(got.Err, "Read-only file system") {
			t.Errorf("a reader wrote: %q %q", got.Out, got.Err)
		}
	}
	if text := mustVolume(t, "look", "--image", image); !strings.Contains(text, "size="+imageBytes) {
		t.Errorf("look: %s", text)
	}
	for _, one := range []*box{second, third} {
		if _, err := one.kill(); err != nil {
			t.Fatal(err)
		}
	}
	mustVolume(t, "remove", "--image", image)
	if text, _ := exec.Command("losetup", "-a").Output(); strings.Contains(string(text), image) {
		t.Errorf("a loop device is left: %s", text)
	}
}

func TestAVolumeIsTheWorkspaceAndHasOtherMountsBelow(t *testing.T) {
	onlyRoot(t)
	image, skill := disk(t), hostFolder(t)
	mounts := func(writable bool, at string) *box {
		return describe(t).mounts(
			map[string]any{"source": skill, "target": "/workspace/" + at},
			map[string]any{"image": image, "target": "/workspace", "writable": writable},
		)
	}
	first := mounts(true, ".skills/search").start()
	first.says("cat .skills/search/file && echo kept > note && mkdir .skills/own && stat -c %u .skills", "of the host1000")
	if _, err := first.kill(); err != nil {
		t.Fatal(err)
	}
	second := mounts(false, ".skills/search").start()
	second.says("cat note .skills/search/file && ls .skills", "kept\nof the hostown\nsearch")
	third := mounts(false, "other")
	if _, err := third.launch(); err == nil || !strings.Contains(err.Error(), "is read-only and has no folder") {
		t.Errorf("a mount point in a read-only volume: %v", err)
	}
}

func TestMakingAVolumeTwiceKeepsIt(t *testing.T) {
	onlyRoot(t)
	image := disk(t)
	one := describe(t).mounts(map[string]any{"image": image, "target": "/data", "writable": true}).start()
	one.says("echo kept > /data/f && echo ok", "ok")
	mustVolume(t, "make", "--image", image, "--bytes", imageBytes)
	one.says("cat /data/f", "kept")
	if text, done := volume("make", "--image", image, "--bytes", "33554432"); done || !strings.Contains(text, "are wanted") {
		t.Errorf("another size: %t %s", done, text)
	}
}

func TestAVolumeThatWasHalfMadeIsMadeAnew(t *testing.T) {
	onlyRoot(t)
	folder := t.TempDir()
	image := filepath.Join(folder, "disk")
	if err := os.WriteFile(image+".part", []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	mustVolume(t, "make", "--image", image, "--bytes", imageBytes)
	if left, _ := os.ReadDir(folder); len(left) != 1 {
		t.Errorf("left are %v", left)
	}
	mustVolume(t, "remove", "--image", image)
	mustVolume(t, "remove", "--image", image)
	mustVolume(t, "remove", "--image", filepath.Join(folder, "gone", "disk"))
}

func TestAMountOfTheHostShowsFilesAsOneUsersAndEnds(t *testing.T) {
	onlyRoot(t)
	image, at := disk(t), t.TempDir()
	mustVolume(t, "mount", "--image", image, "--at", at, "--uid", "2345678", "--write")
	text, err := exec.Command("stat", "-c", "%u:%g", at).Output()
	if err != nil || string(text) != "2345678:2345678\n" {
		t.Errorf("%v %s", err, text)
	}
	mustVolume(t, "unmount", "--at", at)
	mustVolume(t, "unmount", "--at", at)
	if left, _ := os.ReadDir(at); len(left) != 0 {
		t.Errorf("still mounted: %v", left)
	}
}

func TestWrongCallsOfVolumesAreRefused(t *testing.T) {
	onlyRoot(t)
	folder := t.TempDir()
	for words, want := range map[string]string{
		"make --image disk --bytes 16777216":                      "absolute",
		"make --image " + folder + "/../disk --bytes 16777216":    "clean",
		"make --image " + folder + "/disk --bytes 1000":           "too small",
		"make --image " + folder + "/disk --bytes 99999999999999": "CAPACITY",
		"make --size 5": "USAGE",
		"mount --image " + folder + "/disk --at x --uid 5": "USAGE",
		"look --image " + folder + "/gone":                 "INTERNAL",
	} {
		if text, done := volume(strings.Fields(words)...); done || !strings.Contains(text, want) {
			t.Errorf("%s: %t %s", words, done, text)
		}
	}
	if left, _ := os.ReadDir(folder); len(left) != 0 {
		t.Errorf("left are %v", left)
	}
}
