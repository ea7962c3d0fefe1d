package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	batch    = 256 // names that are in memory at once for each open folder
	maxDepth = 64  // and how many folders are open at once, at most
)

// walk visits what is below root in no order, holding few names whatever a folder holds. Links are not followed; folders that vanish or
// are closed to us are left out, but for root itself. It stops at the visitor's first error, and returns whether folders lay too deep.
func walk(root string, visit func(relative string, entry fs.DirEntry) error) (deeper bool, err error) {
	return walkFolder(root, "", 1, visit)
}

func walkFolder(root, relative string, depth int, visit func(string, fs.DirEntry) error) (deeper bool, err error) {
	dir, err := os.Open(filepath.Join(root, relative))
	if err != nil {
		if relative == "" {
			return false, err
		}
		return false, nil
	}
	defer dir.Close()
	for {
		entries, readErr := dir.ReadDir(batch)
		for _, entry := range entries {
			below := filepath.Join(relative, entry.Name())
			if err := visit(below, entry); err != nil {
				if errors.Is(err, fs.SkipDir) {
					continue
				}
				return deeper, err
			}
			if !entry.IsDir() {
				continue
			}
			if depth == maxDepth {
				deeper = true
				continue
			}
			more, err := walkFolder(root, below, depth+1, visit)
			deeper = deeper || more
			if err != nil {
				return deeper, err
			}
		}
		switch {
		case errors.Is(readErr, io.EOF):
			return deeper, nil
		case readErr != nil && relative == "":
			return deeper, readErr
		case readErr != nil:
			return deeper, nil
		}
	}
}

// smallest returns the first count entries of a folder by name, among those from a name on.
func smallest(folder, from string, count int) ([]fs.DirEntry, error) {
	dir, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	byName := func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) }
	var kept []fs.DirEntry
	for {
		entries, err := dir.ReadDir(batch)
		for _, entry := range entries {
			if entry.Name() >= from {
				kept = append(kept, entry)
			}
		}
		if len(kept) > 2*count || errors.Is(err, io.EOF) {
			slices.SortFunc(kept, byName)
			kept = kept[:min(len(kept), count)]
		}
		if errors.Is(err, io.EOF) {
			return kept, nil
		}
		if err != nil {
			return nil, err
		}
	}
}
