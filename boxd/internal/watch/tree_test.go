package watch

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"dev.sandboxer/boxd/internal/budget"
)

func watched(t *testing.T) *Tree {
	t.Helper()
	tree, err := New(t.TempDir(), false, func(string) bool { return false }, budget.New(func() int64 { return 10 }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tree.Free)
	t.Cleanup(tree.Close)
	return tree
}

// types counts what has happened so far: until a folder appears that is made for it.
func (t *Tree) types(test *testing.T) map[string]int {
	test.Helper()
	end := filepath.Join(t.root, "end")
	if err := os.Mkdir(end, 0o700); err != nil {
		test.Fatal(err)
	}
	types := map[string]int{}
	for {
		events, err := t.Next(time.Now().Add(30 * time.Second))
		if err != nil {
			test.Fatal(err)
		}
		for _, e := range events {
			if e.Path == end {
				return types
			}
			types[e.Type]++
		}
	}
}

// One read takes 64 KiB of events, so that it ends between the halves of a move now and then.
func TestAMoveIsOneEventWhereverAReadEnds(t *testing.T) {
	tree := watched(t)
	old, now := filepath.Join(tree.root, "a"), filepath.Join(tree.root, "b")
	if err := os.Mkdir(old, 0o700); err != nil { // one event, which puts all pairs out of step
		t.Fatal(err)
	}
	const moves = 5000
	for range moves {
		if err := os.Rename(old, now); err != nil {
			t.Fatal(err)
		}
		old, now = now, old
	}
	if types := tree.types(t); types[Created] != 1 || types[Moved] != moves || len(types) != 2 {
		t.Fatal(types)
	}
}

func TestWhatIsMovedAwayIsRemoved(t *testing.T) {
	tree := watched(t)
	here := filepath.Join(tree.root, "a")
	if err := errors.Join(os.WriteFile(here, nil, 0o600), os.Rename(here, filepath.Join(t.TempDir(), "a"))); err != nil {
		t.Fatal(err)
	}
	if types := tree.types(t); types[Created] != 1 || types[Removed] != 1 || types[Moved] != 0 {
		t.Fatal(types)
	}
}
