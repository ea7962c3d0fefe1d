package process

import "testing"

func TestTheOldestOfATreeComesFirst(t *testing.T) {
	all := []entry{{pid: 3, ppid: 9, started: 7}, {pid: 9, ppid: 1, started: 5}, {pid: 8, ppid: 9, started: 6}, {pid: 2, ppid: 1, started: 1}, {pid: 4, ppid: 3, started: 7}}
	always := func(entry) bool { return true }
	for range 20 {
		var pids []int
		for _, e := range closure(all, func(e entry) bool { return e.pid == 9 || e.pid == 4 }, always) {
			pids = append(pids, e.pid)
		}
		if len(pids) != 4 || pids[0] != 9 || pids[1] != 8 || pids[2] != 3 || pids[3] != 4 {
			t.Fatalf("order %v", pids)
		}
	}
}
