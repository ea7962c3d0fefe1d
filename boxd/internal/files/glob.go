package files

import (
	"regexp"
	"strings"

	"dev.sandboxer/boxd/internal/problem"
)

const maxPattern = 1024

// compileGlob turns a glob into an expression that takes linear time: * and ? do not match /, ** matches any number of folders,
// [a-z] and {a,b} are as in a shell. A glob without / matches names in any folder.
func compileGlob(glob string) (*regexp.Regexp, error) {
	if len(glob) > maxPattern {
		return nil, problem.New(problem.Validation, "pattern has %d bytes, the most is %d", len(glob), maxPattern)
	}
	rest := strings.TrimPrefix(glob, "/")
	var out strings.Builder
	out.WriteString(`(?s)\A`)
	if !strings.Contains(glob, "/") {
		out.WriteString(`(?:.*/)?`)
	}
	braces := 0
	for rest != "" {
		switch {
		case strings.HasPrefix(rest, "**/"):
			out.WriteString(`(?:.*/)?`)
			rest = rest[3:]
			continue
		case strings.HasPrefix(rest, "**"):
			out.WriteString(`.*`)
			rest = rest[2:]
			continue
		}
		one := rest[0]
		rest = rest[1:]
		switch {
		case one == '*':
			out.WriteString(`[^/]*`)
		case one == '?':
			out.WriteString(`[^/]`)
		case one == '[':
			class, after, closed := strings.Cut(rest, "]")
			if !closed || class == "" {
				return nil, problem.New(problem.Validation, "pattern %.200q has a [ without its ]", glob)
			}
			if class[0] == '!' {
				class = "^" + class[1:]
			}
			out.WriteString("[" + strings.ReplaceAll(strings.ReplaceAll(class, `\`, `\\`), "[", `\[`) + "]")
			rest = after
		case one == '{':
			braces++
			out.WriteString(`(?:`)
		case one == ',' && braces > 0:
			out.WriteString(`|`)
		case one == '}' && braces > 0:
			braces--
			out.WriteString(`)`)
		case one == '\\' && rest != "":
			out.WriteString(regexp.QuoteMeta(rest[:1]))
			rest = rest[1:]
		case one < 0x80:
			out.WriteString(regexp.QuoteMeta(string(rune(one))))
		default:
			out.WriteByte(one)
		}
	}
	out.WriteString(`\z`)
	compiled, err := regexp.Compile(out.String())
	if err != nil || braces != 0 {
		return nil, problem.New(problem.Validation, "pattern %.200q is no glob that can be read: check its [ ], { } and that it is UTF-8", glob)
	}
	return compiled, nil
}

// compileGrep reads an RE2 expression, whose time is linear in what it searches.
func compileGrep(expression string) (*regexp.Regexp, error) {
	if len(expression) > maxPattern {
		return nil, problem.New(problem.Validation, "grep has %d bytes, the most is %d", len(expression), maxPattern)
	}
	compiled, err := regexp.Compile(expression)
	if err != nil {
		return nil, problem.New(problem.Validation, "grep is no RE2 expression: %v", err)
	}
	return compiled, nil
}
