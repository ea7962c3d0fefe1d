package web

import "strings"

// pattern is a route's path with {name} segments.
type pattern struct {
	path     string
	segments []string
}

func newPattern(path string) pattern {
	return pattern{path, strings.Split(path, "/")}
}

// match returns what stands for each name. {rest...} takes all that follows, also nothing; any other name takes one segment that is not empty.
func (p pattern) match(path string) (map[string]string, bool) {
	parts := strings.Split(path, "/")
	params := map[string]string{}
	for i, segment := range p.segments {
		if i >= len(parts) {
			return nil, false
		}
		name, named := strings.CutPrefix(segment, "{")
		name = strings.TrimSuffix(name, "}")
		if rest, takesAll := strings.CutSuffix(name, "..."); named && takesAll {
			params[rest] = strings.Join(parts[i:], "/")
			return params, true
		}
		switch {
		case named && parts[i] != "":
			params[name] = parts[i]
		case named, segment != parts[i]:
			return nil, false
		}
	}
	return params, len(parts) == len(p.segments)
}
