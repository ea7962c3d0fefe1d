package files

import (
	"encoding/base64"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"dev.sandboxer/boxd/internal/problem"
	"dev.sandboxer/boxd/internal/web"
)

const (
	defaultPage = 50
	maxPage     = 1000
)

// list pages through a folder in the order of its paths; entries that vanish meanwhile are left out.
func (f *files) list(c *web.Call) error {
	l, err := f.parseList(c)
	if err != nil {
		return err
	}
	if err := l.folder("", 1); err != nil && !errors.Is(err, errPageFull) {
		return explain(l.root, err)
	}
	var next *string
	if len(l.items) > l.limit {
		l.items = l.items[:l.limit]
		cursor := base64.RawURLEncoding.EncodeToString([]byte(l.relative(l.items[l.limit-1].raw)))
		next = &cursor
	}
	items := make([]entry, 0, len(l.items))
	for _, item := range l.items {
		items = append(items, item.entry)
	}
	return c.JSON(200, struct {
		Items      []entry `json:"items"`
		NextCursor *string `json:"next_cursor"`
	}{items, next})
}

var errPageFull = errors.New("page full")

type listed struct {
	raw string
	entry
}

type listing struct {
	root   string
	depth  int
	limit  int
	cursor string // the last path of the page before, relative to root
	items  []listed
}

func (f *files) parseList(c *web.Call) (*listing, error) {
	query, err := c.Query("path", "depth", "cursor", "limit")
	if err != nil {
		return nil, err
	}
	if query["path"] == "" {
		query["path"] = "."
	}
	l := &listing{}
	if l.root, err = f.resolve(query["path"]); err != nil {
		return nil, err
	}
	if l.depth, err = parseCount("depth", query["depth"], 1, maxDepth); err != nil {
		return nil, err
	}
	if l.limit, err = parseCount("limit", query["limit"], defaultPage, maxPage); err != nil {
		return nil, err
	}
	cursor, err := base64.RawURLEncoding.Strict().DecodeString(query["cursor"])
	if err != nil {
		return nil, problem.New(problem.Validation, "cursor is not one that this route gave")
	}
	l.cursor = string(cursor)
	return l, nil
}

func (l *listing) relative(path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path, l.root), "/")
}

// folder adds what the folder holds, after the cursor, each followed by what is in it.
func (l *listing) folder(relative string, depth int) error {
	children, err := smallest(filepath.Join(l.root, relative), l.resumeAt(relative), l.limit+2)
	if err != nil {
		if relative == "" {
			return err
		}
		return nil // gone, or closed to us: what we can see stays useful
	}
	for _, child := range children {
		if err := l.child(filepath.Join(relative, child.Name()), child, depth); err != nil {
			return err
		}
	}
	return nil
}

// resumeAt is the first name in the folder that may matter: the cursor's own part there, if the cursor is in it.
func (l *listing) resumeAt(relative string) string {
	rest := l.cursor
	if relative != "" {
		var inside bool
		if rest, inside = strings.CutPrefix(rest, relative+"/"); !inside {
			return ""
		}
	}
	name, _, _ := strings.Cut(rest, "/")
	return name
}

func (l *listing) child(relative string, child fs.DirEntry, depth int) error {
	after := key(relative) > key(l.cursor)
	if after {
		if err := l.add(relative, child); err != nil {
			return err
		}
	}
	leads := relative == l.cursor || strings.HasPrefix(l.cursor, relative+"/")
	if child.IsDir() && depth < l.depth && (after || leads) {
		return l.folder(relative, depth+1)
	}
	return nil
}

func (l *listing) add(relative string, child fs.DirEntry) error {
	info, err := child.Info()
	if err != nil {
		return nil
	}
	path := filepath.Join(l.root, relative)
	l.items = append(l.items, listed{path, describe(path, info)})
	if len(l.items) > l.limit {
		return errPageFull
	}
	return nil
}

// key orders paths as the walk meets them: a folder, its content, then its next sibling.
func key(path string) string { return strings.ReplaceAll(path, "/", "\x00") }
