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
