package watch

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// raw is an event as the kernel tells it.
type raw struct {
	wd     int32
	mask   uint32
	cookie uint32
	name   string
}

func parse(buffer []byte) []raw {
	var all []raw
	for len(buffer) >= unix.SizeofInotifyEvent {
		one := raw{
			wd:     int32(binary.NativeEndian.Uint32(buffer)),
			mask:   binary.NativeEndian.Uint32(buffer[4:]),
			cookie: binary.NativeEndian.Uint32(buffer[8:]),
		}
		length := int(binary.NativeEndian.Uint32(buffer[12:]))
		buffer = buffer[unix.SizeofInotifyEvent:]
		if length > len(buffer) {
			break
		}
		one.name = string(bytes.TrimRight(buffer[:length], "\x00"))
		buffer = buffer[length:]
		all = append(all, one)
	}
	return all
}

// translate puts the two halves of a move together; the kernel tells them one after the other. Repeated changes are told once.
func (t *Tree) translate(all []raw) []Event {
	var events []Event
	add := func(more ...Event) {
		for _, e := range more {
			if len(events) == 0 || events[len(events)-1] != e {
				events = append(events, e)
			}
		}
	}
	for i := 0; i < len(all); i++ {
		one := all[i]
		if one.mask&unix.IN_MOVED_FROM != 0 && i+1 < len(all) && all[i+1].mask&unix.IN_MOVED_TO != 0 && all[i+1].cookie == one.cookie {
			add(t.moved(one, all[i+1])...)
			i++
			continue
		}
		add(t.one(one)...)
	}
	return events
}

func (t *Tree) path(e raw) (string, bool) {
	folder, known := t.paths[e.wd]
	if e.name == "" {
		return folder, known
	}
	return filepath.Join(folder, e.name), known
}

func (t *Tree) moved(from, to raw) []Event {
	old, oldKnown := t.path(from)
	now, nowKnown := t.path(to)
	if !oldKnown || !nowKnown || t.hidden(from.name) || t.hidden(to.name) {
		return append(t.one(from), t.one(to)...)
	}
	folder := from.mask&unix.IN_ISDIR != 0
	if folder {
		t.forget(now) // what it replaced
		t.rename(old, now)
	}
	return []Event{{Type: Moved, Path: now, From: old, Folder: folder}}
}

func (t *Tree) one(e raw) []Event {
	if e.mask&unix.IN_Q_OVERFLOW != 0 {
		return []Event{{Type: Overflow, Reason: "queue"}}
	}
	path, known := t.path(e)
	if !known {
		return nil
	}
	if t.hidden(e.name) {
		return nil
	}
	folder := e.mask&unix.IN_ISDIR != 0
	switch {
	case e.mask&unix.IN_IGNORED != 0:
		t.drop(e.wd)
	case e.mask&(unix.IN_DELETE_SELF|unix.IN_MOVE_SELF) != 0:
		if path == t.root { // for any other, its folder tells
			t.gone = true
			return []Event{{Type: Removed, Path: path}}
		}
	case e.mask&(unix.IN_CREATE|unix.IN_MOVED_TO) != 0:
		return append([]Event{{Type: Created, Path: path, Folder: folder}}, t.appeared(path, folder)...)
	case e.mask&(unix.IN_DELETE|unix.IN_MOVED_FROM) != 0:
		if folder {
			t.forget(path)
		}
		return []Event{{Type: Removed, Path: path, Folder: folder}}
	case e.mask&unix.IN_MODIFY != 0:
		return []Event{{Type: Modified, Path: path}}
	case e.mask&unix.IN_ATTRIB != 0:
		return []Event{{Type: Attributes, Path: path, Folder: folder}}
	}
	return nil
}

// appeared watches a new folder, and tells what was already in it when the watch began.
func (t *Tree) appeared(path string, folder bool) []Event {
	if !folder || !t.recursive {
		return nil
	}
	var events []Event
	err := t.add(path)
	if err == nil {
		err = t.addBelow(path, func(below string, entry fs.DirEntry) {
			if len(events) < maxTold {
				events = append(events, Event{Type: Created, Path: below, Folder: entry.IsDir()})
			}
		})
	}
	switch {
	case errors.Is(err, ErrFull):
		events = append(events, Event{Type: Overflow, Reason: "folders"})
	case len(events) == maxTold:
		events = append(events, Event{Type: Overflow, Reason: "queue"})
	}
	return events
}

// maxTold bounds what one new folder makes us hold.
const maxTold = 4096
