package process

import (
	"os"
	"testing"
)

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("7 (a) b) S 1 2 3 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 99 0 0"))
	f.Add([]byte("7 () Z 1"))
	f.Add([]byte(")"))
	f.Add([]byte(""))
	f.Fuzz(func(t *testing.T, stat []byte) {
		if e, ok := parseStat(7, stat); ok && e.pid != 7 {
			t.Fatal(e)
		}
	})
}

func FuzzParseMark(f *testing.F) {
	f.Add([]byte("Max realtime timeout      4611686018427387905    unlimited            us        \n"))
	f.Add([]byte("Max realtime timeout      unlimited    unlimited            us        \n"))
	f.Add([]byte("Max realtime timeout"))
	f.Fuzz(func(t *testing.T, limits []byte) {
		if mark := parseMark(limits); mark != 0 && (mark < markBase || mark >= markBase+markCount) {
			t.Fatal(mark)
		}
	})
}

func TestStatOfThisProcess(t *testing.T) {
	e, ok := readEntry(os.Getpid())
	if !ok || e.ppid != os.Getppid() || e.dead() || e.started == 0 || e.group == 0 {
		t.Fatal(e, ok)
	}
}
