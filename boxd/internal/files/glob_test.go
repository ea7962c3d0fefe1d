package files

import (
	"regexp"
	"strings"
	"testing"
)

// FuzzGlob compiles any text: it is refused, or finds what it names literally once everything special in it is escaped.
func FuzzGlob(f *testing.F) {
	for _, seed := range []string{"*", "**/*.go", "[a-z]{x,y}?", "[", "{", "}", ",", "[]a]", `[\]`, "a//b", "\xff", "é*", "[!]", "[^[]", `\`, "{{}}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, glob string) {
		if _, err := compileGlob(glob); err != nil && !strings.HasPrefix(err.Error(), "VALIDATION") {
			t.Fatal(err)
		}
		if strings.ContainsAny(glob, "/\x00") || glob == "" || len(glob) > 400 {
			return
		}
		literal := regexp.MustCompile(`[*?\[\]{},\\]`).ReplaceAllString(glob, `\$0`)
		compiled, err := compileGlob(literal)
		if err == nil && !compiled.MatchString("folder/"+glob) && strings.ToValidUTF8(glob, "") == glob {
			t.Fatalf("%q as %q does not find itself", glob, literal)
		}
	})
}
