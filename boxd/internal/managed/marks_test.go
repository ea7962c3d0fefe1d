package managed

import (
	"testing"
	"time"
)

func TestMarksFindWhatWasWrittenSince(t *testing.T) {
	var m marks
	start := time.Now()
	if got := m.since(start, 7); got != 7 {
		t.Fatal("nothing was written:", got)
	}
	for i := range int64(10_000) {
		m.wrote(i, start.Add(time.Duration(i)*time.Second), 0)
	}
	if len(m.all) > mostMarks {
		t.Fatal(len(m.all))
	}
	for _, second := range []int64{0, 1, 5000, 9000, 9700, 9999} {
		got := m.since(start.Add(time.Duration(second)*time.Second), 10_000)
		if got > second || second-got > 40 {
			t.Errorf("since second %d begins at %d", second, got)
		}
	}
	if got := m.since(start.Add(time.Hour*24), 10_000); got != 10_000 {
		t.Error("nothing was written since:", got)
	}
	m.wrote(10_000, start.Add(20_000*time.Second), 9_000)
	if got := m.since(start, 10_001); got > 9_000 || got < 8_000 {
		t.Error("what is no longer kept has marks:", got)
	}
}
