package threads_test

import (
	"os"
	"sync"
	"testing"
	"time"

	"dev.sandboxer/boxd/internal/threads"
)

// As many goroutines as may block, and some beside them, need no further thread.
func TestNoThreadIsMadeLater(t *testing.T) {
	threads.Make()
	before := threads.Count()
	if before < threads.Reserve-8 || before > threads.Reserve {
		t.Errorf("%d threads, of %d that are reserved", before, threads.Reserve)
	}
	var all sync.WaitGroup
	for range threads.Blocking + 4 {
		reader, writer, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() { // Fd makes it blocking
			_ = reader.Fd()
			_, _ = reader.Read(make([]byte, 1))
		})
		time.AfterFunc(200*time.Millisecond, func() { _ = writer.Close() })
	}
	all.Wait()
	if after := threads.Count(); after != before {
		t.Errorf("%d threads became %d", before, after)
	}
	if threads.Highest() < os.Getpid() {
		t.Errorf("the highest number %d is below this process's own %d", threads.Highest(), os.Getpid())
	}
}
