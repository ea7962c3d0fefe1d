package managed

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"testing"

	"dev.sandboxer/boxd/internal/budget"
)

func plenty() *budget.Budget { return budget.New(func() int64 { return 1 << 30 }) }

func numbered(from, to int64) []byte {
	data := make([]byte, 0, to-from)
	for at := from; at < to; at++ {
		data = append(data, byte(at*7+at>>8))
	}
	return data
}

// FuzzRing writes and reads pieces of any size in any order: each byte comes at its own offset, and what is skipped is gone from the ring.
func FuzzRing(f *testing.F) {
	f.Add(uint64(1), 100)
	f.Add(uint64(2), 9000)
	f.Add(uint64(3), 100_000)
	f.Fuzz(func(t *testing.T, seed uint64, size int) {
		if size < 1 || size > 200_000 {
			return
		}
		random := rand.New(rand.NewPCG(seed, 0))
		memory := budget.New(func() int64 { return 50_000 })
		r := newRing(int64(size), memory)
		d := r.reader(-1)
		into := make([]byte, 30_000)
		expect := int64(0)
		for range 60 {
			if random.IntN(2) == 0 {
				r.write(numbered(r.end, r.end+random.Int64N(40_000)), nil)
				continue
			}
			begin, _ := r.bounds()
			got := d.poll(into[:1+random.IntN(len(into))], -1)
			if got.at != max(expect, begin) || !bytes.Equal(into[:got.n], numbered(got.at, got.at+int64(got.n))) {
				t.Fatal(got)
			}
			expect = got.at + int64(got.n)
		}
		r.free()
		if !memory.Take(50_000) {
			t.Fatal("memory was not given back")
		}
	})
}

func TestAHolderMakesTheWriterWait(t *testing.T) {
	r := newRing(1000, plenty())
	d := r.reader(-1)
	d.hold()
	written := make(chan struct{})
	go func() {
		r.write(numbered(0, 50_000), nil)
		r.close()
		close(written)
	}()
	var got []byte
	for into := make([]byte, 333); ; {
		one := d.poll(into, -1)
		if one.end {
			break
		}
		if one.at != int64(len(got)) {
			t.Fatalf("a gap at %d", one.at)
		}
		if one.n == 0 {
			<-one.wait
		}
		got = append(got, into[:one.n]...)
		if begin, end := r.bounds(); end-begin > 1000 {
			t.Fatal(begin, end)
		}
	}
	<-written
	if !bytes.Equal(got, numbered(0, 50_000)) {
		t.Fatal(len(got))
	}
}

func TestAHolderThatLeavesLetsTheWriterGoOn(t *testing.T) {
	r := newRing(1000, plenty())
	d := r.reader(-1)
	d.hold()
	written := make(chan struct{})
	go func() {
		r.write(numbered(0, 5000), nil)
		close(written)
	}()
	for d.poll(make([]byte, 1), -1).n == 0 {
		runtime.Gosched()
	}
	d.letGo()
	<-written
	if begin, end := r.bounds(); begin != 4000 || end != 5000 {
		t.Fatal(begin, end)
	}
}
