package ports

import (
	"slices"
	"strings"
	"testing"
)

const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1 0 100 0 0 10 0
   1: 0100007F:1F91 0100007F:0050 01 00000000:00000000 00:00000000 00000000  1000        0 1 1 0 100 0 0 10 0
   2: 00000000000000000000000000000000:0050 00000000000000000000000000000000:0000 0A 0 0 0 0 0 0
   3: 0000000000000000FFFF00000100007F:0051 00000000000000000000000000000000:0000 0A 0 0 0 0 0 0
   4: 01000:0052 0:0 0A
   5: 0100007F:FFFFF 0:0 0A
   6:
`

func TestTableOfSockets(t *testing.T) {
	want := []Listening{{8080, "127.0.0.1"}, {80, "::"}, {81, "127.0.0.1"}}
	if got := parseTable(strings.NewReader(table)); !slices.Equal(got, want) {
		t.Fatal(got)
	}
}

func FuzzTableOfSockets(f *testing.F) {
	f.Add(table)
	f.Add("")
	f.Add("a\n:\n 0: : : 0A")
	f.Fuzz(func(t *testing.T, text string) {
		for _, one := range parseTable(strings.NewReader(text)) {
			if one.Port < 0 || one.Port > 65535 || one.Address == "" {
				t.Fatal(one)
			}
		}
	})
}
