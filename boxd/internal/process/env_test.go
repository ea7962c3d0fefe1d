package process

import (
	"maps"
	"testing"
)

func TestCommandsInheritTheImagesEnvironment(t *testing.T) {
	found := ImageEnv([]string{"COLOUR=green", "PATH=/opt", "HOSTNAME=1a2b", "EMPTY=", "odd", "=x", "TWO=a=b"})
	wanted := map[string]string{"COLOUR": "green", "PATH": "/opt", "LANG": "C.UTF-8", "TWO": "a=b"}
	if !maps.Equal(found, wanted) {
		t.Errorf("got %v, want %v", found, wanted)
	}
	if bare := ImageEnv(nil); bare["PATH"] != DefaultPath || len(bare) != 2 {
		t.Errorf("without an image's: %v", bare)
	}
}

func TestProgramsOfTheSetupComeFirst(t *testing.T) {
	env := WithSetup(map[string]string{"PATH": "/usr/local/go/bin:/bin", Setup: "/run/setup"})
	if env["PATH"] != "/run/setup/bin:/usr/local/go/bin:/bin" {
		t.Error(env["PATH"])
	}
	if env := WithSetup(map[string]string{"PATH": "/bin"}); env["PATH"] != "/bin" {
		t.Error(env["PATH"])
	}
}
