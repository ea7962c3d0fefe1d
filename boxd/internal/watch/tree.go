// Package watch tells what changes below a folder, by inotify.
package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"dev.sandboxer/boxd/internal/budget"
)

// What happened to a path.
const (
	Created    = "created"
	Modified   = "modified"
	Attributes = "attributes"
	Removed    = "removed"
	Moved      = "moved"
	Overflow   = "overflow" // changes were missed; look at the whole tree again
)

// Event is one change.
type Event struct {
	Type   string
	Path   string
	From   string // where a moved entry was
	Folder bool
	Reason string // of an overflow: queue or folders
}

// ErrFull says that no further folder may be watched.
var ErrFull = errors.New("the limit of watched folders is reached")

const (
	mask = unix.IN_CREATE | unix.IN_DELETE | unix.IN_MODIFY | unix.IN_ATTRIB | unix.IN_MOVED_FROM | unix.IN_MOVED_TO |
		unix.IN_DELETE_SELF | unix.IN_MOVE_SELF | unix.IN_EXCL_UNLINK
	batch      = 256
	bufferSize = 64 << 10
	otherHalf  = 100 * time.Millisecond // so long is the second half of a move awaited, which the kernel tells right after the first unless its thread is interrupted in between
)

// Tree watches a folder, or a file. It is for one goroutine, but Close may come from another.
type Tree struct {
	root      string
	recursive bool
	hidden    func(name string) bool
	folders   *budget.Budget // shared with other trees
	file      *os.File
	paths     map[int32]string // by watch descriptor
	byPath    map[string]int32
	buffer    []byte
	half      []raw // the first half of a move that was the last event read; its other half may come with the next
	gone      bool
}

// New watches root, and with recursive all folders below it. Links are not followed, but root itself may be one. Of entries with hidden
// names nothing is told; one that gets another name is told as created.
func New(root string, recursive bool, hidden func(name string) bool, folders *budget.Budget) (*Tree, error) {
	if end, err := filepath.EvalSymlinks(root); err == nil {
		root = end
	}
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("inotify: %w", err)
	}
	t := &Tree{
		root: root, recursive: recursive, hidden: hidden, folders: folders, file: os.NewFile(uintptr(fd), "inotify"),
		paths: map[int32]string{}, byPath: map[string]int32{}, buffer: make([]byte, bufferSize),
	}
	if err := t.begin(); err != nil {
		t.Close()
		t.Free()
		return nil, err
	}
	return t, nil
}

func (t *Tree) begin() error {
	info, err := os.Stat(t.root)
	if err != nil {
		return err
	}
	if err := t.add(t.root); err != nil || !info.IsDir() || !t.recursive {
		return err
	}
	return t.addBelow(t.root, func(string, fs.DirEntry) {})
}

// add watches one folder or file; what is gone already is no error.
func (t *Tree) add(path string) error {
	if _, known := t.byPath[path]; known {
		return nil
	}
	if !t.folders.Take(1) {
		return ErrFull
	}
	wd := 0
	err := t.with(func(fd int) (err error) {
		wd, err = unix.InotifyAddWatch(fd, path, mask|unix.IN_DONT_FOLLOW)
		return err
	})
	if err != nil {
		t.folders.Give(1)
		if path != t.root && (errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.ENOTDIR)) {
			return nil
		}
		if errors.Is(err, unix.ENOSPC) {
			return ErrFull
		}
		return err
	}
	if old, moved := t.paths[int32(wd)]; moved { // the same folder under a name that it had before
		delete(t.byPath, old)
		t.folders.Give(1)
	}
	t.paths[int32(wd)], t.byPath[path] = path, int32(wd)
	return nil
}

// with lends the descriptor, which stays what it is meanwhile, whoever closes the tree.
func (t *Tree) with(act func(fd int) error) error {
	conn, err := t.file.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	if err := conn.Control(func(fd uintptr) { failed = act(int(fd)) }); err != nil {
		return err
	}
	return failed
}

// addBelow watches the folders below path and shows all that is there.
func (t *Tree) addBelow(path string, see func(path string, entry fs.DirEntry)) error {
	dir, err := os.Open(path)
	if err != nil {
		return nil // gone, or closed to us
	}
	defer dir.Close()
	for {
		entries, err := dir.ReadDir(batch)
		for _, entry := range entries {
			below := filepath.Join(path, entry.Name())
			see(below, entry)
			if !entry.IsDir() {
				continue
			}
			if err := t.add(below); err != nil {
				return err
			}
			if err := t.addBelow(below, see); err != nil {
				return err
			}
		}
		if err != nil {
			return nil
		}
	}
}

// Folders is how many are watched.
func (t *Tree) Folders() int { return len(t.paths) }

// Close ends the watch; a Next that waits fails.
func (t *Tree) Close() { _ = t.file.Close() }

// Free gives the folders back; call it once nobody uses the tree any more.
func (t *Tree) Free() {
	t.folders.Give(int64(len(t.paths)))
	t.paths, t.byPath = nil, nil
}

// Next waits for changes, until the deadline at most: then it is os.ErrDeadlineExceeded. After the end of what is watched it is fs.ErrNotExist.
func (t *Tree) Next(deadline time.Time) ([]Event, error) {
	for !t.gone {
		all, err := t.read(deadline)
		if err != nil {
			return nil, err
		}
		if len(all) > 0 {
			return t.translate(all), nil
		}
	}
	return nil, fs.ErrNotExist
}

// read keeps back the first half of a move for the next read: alone, it would be an entry that went out of what is watched.
func (t *Tree) read(deadline time.Time) ([]raw, error) {
	half := t.half
	if soon := time.Now().Add(otherHalf); half != nil && soon.Before(deadline) {
		deadline = soon
	}
	_ = t.file.SetReadDeadline(deadline)
	n, err := t.file.Read(t.buffer)
	if half != nil && errors.Is(err, os.ErrDeadlineExceeded) {
		t.half = nil
		return half, nil
	}
	if err != nil {
		return nil, err
	}
	all := append(half, parse(t.buffer[:n])...)
	t.half = nil
	if last := len(all) - 1; last >= 0 && all[last].mask&unix.IN_MOVED_FROM != 0 {
		t.half = []raw{all[last]}
		all = all[:last]
	}
	return all, nil
}

// forget drops the folders at and below a path.
func (t *Tree) forget(path string) {
	for below, wd := range t.byPath {
		if below == path || strings.HasPrefix(below, path+"/") {
			_ = t.with(func(fd int) error {
				_, err := unix.InotifyRmWatch(fd, uint32(wd))
				return err
			})
			t.drop(wd)
		}
	}
}

func (t *Tree) drop(wd int32) {
	path, known := t.paths[wd]
	if !known {
		return
	}
	delete(t.paths, wd)
	delete(t.byPath, path)
	t.folders.Give(1)
}

// rename changes the paths at and below one.
func (t *Tree) rename(from, to string) {
	for below, wd := range t.byPath {
		if below == from || strings.HasPrefix(below, from+"/") {
			delete(t.byPath, below)
			renamed := to + strings.TrimPrefix(below, from)
			t.byPath[renamed], t.paths[wd] = wd, renamed
		}
	}
}
