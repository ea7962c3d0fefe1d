package files

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"dev.sandboxer/boxd/internal/problem"
)

// resolve makes a client's path absolute; a relative one starts at the workspace.
func (f *files) resolve(path string) (string, error) {
	if path == "" {
		return "", problem.New(problem.Validation, "path is missing; for example ?path=notes.txt")
	}
	if strings.ContainsRune(path, 0) {
		return "", problem.New(problem.Validation, "path holds a NUL")
	}
	if !filepath.IsAbs(path) {
		path = f.workspace + "/" + path
	}
	return filepath.Clean(path), nil
}

func parseTar(name, value string) (bool, error) {
	switch value {
	case "":
		return false, nil
	case "tar":
		return true, nil
	}
	return false, problem.New(problem.Validation, "%s is %.40q, only tar is known", name, value)
}

func parseMode(value string) (os.FileMode, error) {
	mode, err := strconv.ParseUint(value, 8, 32)
	if err != nil || mode > 0o777 {
		return 0, problem.New(problem.Validation, "mode is %.40q, must be octal from 0 to 0777, like 0644", value)
	}
	return os.FileMode(mode), nil
}

func parseCount(name, value string, otherwise, most int) (int, error) {
	if value == "" {
		return otherwise, nil
	}
	count, err := strconv.Atoi(value)
	if err != nil || count < 1 || count > most {
		return 0, problem.New(problem.Validation, "%s is %.40q, must be 1 to %d", name, value, most)
	}
	return count, nil
}
