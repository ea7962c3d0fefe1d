package files

import (
	"net/http"
	"os"
	"strings"

	"dev.sandboxer/boxd/internal/problem"
)

// precondition is If-Match and If-None-Match of an upload.
type precondition struct {
	match, noneMatch string
}

func preconditionOf(header http.Header) precondition {
	return precondition{
		strings.Join(header.Values("If-Match"), ","),
		strings.Join(header.Values("If-None-Match"), ","),
	}
}

// check compares with the file that is there; nil means that there is none.
func (p precondition) check(path string, there os.FileInfo) error {
	tag := ""
	if there != nil {
		tag = etag(there)
	}
	if p.match != "" && !names(p.match, tag) {
		return problem.New(problem.PreconditionFailed, "%.500q is not what If-Match says; its ETag is %s", path, orNone(tag))
	}
	if p.noneMatch != "" && names(p.noneMatch, tag) {
		return problem.New(problem.PreconditionFailed, "%.500q is there already, which If-None-Match forbids; its ETag is %s", path, tag)
	}
	return nil
}

func names(list, tag string) bool {
	if tag == "" {
		return false
	}
	for _, one := range strings.Split(list, ",") {
		if one = strings.TrimSpace(one); one == "*" || one == tag {
			return true
		}
	}
	return false
}

func orNone(tag string) string {
	if tag == "" {
		return "none, it does not exist"
	}
	return tag
}
