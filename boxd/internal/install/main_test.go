package install

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func source(t *testing.T) (program, sum string) {
	t.Helper()
	program = filepath.Join(t.TempDir(), "boxd")
	if err := os.WriteFile(program, []byte("program"), 0o600); err != nil {
		t.Fatal(err)
	}
	own := sha256.Sum256([]byte("program"))
	return program, hex.EncodeToString(own[:])
}

func TestInstallsTheProgramAndFolders(t *testing.T) {
	program, sum := source(t)
	target := t.TempDir()
	to, folder := filepath.Join(target, "copy"), filepath.Join(target, "data")
	for range 2 { // an init container may run again
		if err := install(program, to, []string{strings.Repeat("0", 64), sum}, []string{folder}); err != nil {
			t.Fatal(err)
		}
	}
	content, err := os.ReadFile(to)
	if err != nil || string(content) != "program" {
		t.Fatalf("the copy holds %q, %v", content, err)
	}
	if info, err := os.Stat(to); err != nil || info.Mode().Perm() != 0o555 {
		t.Fatalf("the copy is %v, %v", info, err)
	}
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		t.Fatalf("the folder is %v, %v", info, err)
	}
}

func TestRefusesAnotherProgram(t *testing.T) {
	program, sum := source(t)
	to := filepath.Join(t.TempDir(), "copy")
	err := install(program, to, []string{strings.Repeat("0", 64)}, nil)
	if err == nil || !strings.Contains(err.Error(), sum) {
		t.Fatalf("refused with %v", err)
	}
	if _, err := os.Stat(to); !os.IsNotExist(err) {
		t.Fatalf("something was installed: %v", err)
	}
}

func TestSaysWhatIsMissing(t *testing.T) {
	for _, args := range [][]string{{}, {"a", "b"}, {"--sum"}, {"--unknown", "x", "f"}} {
		if code := Main(args); code != 2 {
			t.Errorf("%v gives %d", args, code)
		}
	}
	if code := Main([]string{filepath.Join(t.TempDir(), "none", "boxd")}); code != 1 {
		t.Errorf("a folder that is not there gives %d", code)
	}
}
