package files

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"regexp"
	"syscall"
	"time"

	"dev.sandboxer/boxd/internal/problem"
	"dev.sandboxer/boxd/internal/web"
)

const (
	searchTime    = 20 * time.Second
	searchEntries = 1_000_000
	searchBytes   = 4 << 30
	defaultFound  = 100
	maxFound      = 1000
)

// search finds entries by a glob, lines by an expression, or lines in the files that a glob finds. What it could not look at for lack
// of time or room it says.
func (f *files) search(c *web.Call) error {
	s, err := f.parseSearch(c)
	if err != nil {
		return err
	}
	if !f.searches.Enter() {
		return problem.New(problem.SearchLimit, "%d searches already run in this sandbox, which is its limit (limits.searches of the profile)", f.searches.Limit())
	}
	defer f.searches.Leave()
	if foreign(s.root) {
		return problem.New(problem.Forbidden, "%.500q is the kernel's own view of things and is not searched", s.root)
	}
	deeper, err := walk(s.root, s.visit)
	switch {
	case errors.Is(err, errEnough):
	case err != nil:
		return explain(s.root, err)
	case deeper:
		s.stopped = "depth"
	}
	reply := struct {
		Items     []any   `json:"items"`
		Truncated *string `json:"truncated_by"`
	}{Items: s.items}
	if s.stopped != "" {
		reply.Truncated = &s.stopped
	}
	return c.JSON(200, reply)
}

func (f *files) parseSearch(c *web.Call) (*search, error) {
	query, err := c.Query("path", "pattern", "grep", "limit")
	if err != nil {
		return nil, err
	}
	if query["path"] == "" {
		query["path"] = "."
	}
	s := &search{ctx: c.R.Context(), end: time.Now().Add(searchTime), items: []any{}}
	if s.root, err = f.resolve(query["path"]); err != nil {
		return nil, err
	}
	if s.limit, err = parseCount("limit", query["limit"], defaultFound, maxFound); err != nil {
		return nil, err
	}
	if query["pattern"] == "" && query["grep"] == "" {
		return nil, problem.New(problem.Validation, "give a pattern, like pattern=**/*.go, or an expression, like grep=TODO, or both")
	}
	if query["pattern"] != "" {
		if s.glob, err = compileGlob(query["pattern"]); err != nil {
			return nil, err
		}
	}
	if query["grep"] != "" {
		if s.grep, err = compileGrep(query["grep"]); err != nil {
			return nil, err
		}
	}
	return s, nil
}

var errEnough = errors.New("enough")

// search is one on its way.
type search struct {
	ctx     context.Context
	end     time.Time
	root    string
	glob    *regexp.Regexp // nil: every name
	grep    *regexp.Regexp // nil: names only
	limit   int
	seen    int
	read    int64
	items   []any
	stopped string // what made it stop before the end
}

func (s *search) visit(relative string, child fs.DirEntry) error {
	s.seen++
	switch {
	case s.ctx.Err() != nil:
		return errEnough
	case s.seen > searchEntries:
		return s.stop("entries")
	case s.seen%batch == 0 && time.Now().After(s.end):
		return s.stop("time")
	case child.IsDir() && foreign(filepath.Join(s.root, relative)):
		return fs.SkipDir
	case s.glob != nil && !s.glob.MatchString(relative):
		return nil
	}
	path := filepath.Join(s.root, relative)
	if s.grep == nil {
		info, err := child.Info()
		if err != nil {
			return nil
		}
		return s.add(describe(path, info))
	}
	if !child.Type().IsRegular() {
		return nil
	}
	return s.lines(path)
}

func (s *search) stop(reason string) error {
	s.stopped = reason
	return errEnough
}

func (s *search) add(item any) error {
	if len(s.items) == s.limit {
		return s.stop("limit")
	}
	s.items = append(s.items, item)
	return nil
}

// foreign says whether a path is in the kernel's own view of things, which is endless and has boxd's memory and environment.
func foreign(path string) bool {
	var stat syscall.Statfs_t
	return syscall.Statfs(path, &stat) == nil && kernels(stat)
}

func kernels(stat syscall.Statfs_t) bool {
	const procfs, sysfs = 0x9fa0, 0x62656572
	return stat.Type == procfs || stat.Type == sysfs
}
