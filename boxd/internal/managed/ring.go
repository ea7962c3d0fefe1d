package managed

import (
	"sync"
	"time"

	"dev.sandboxer/boxd/internal/budget"
)

// leastRing is what a stream may keep without asking for shared memory, so that each has some.
const leastRing = 8 << 10

// ring keeps the last bytes of a stream, with their offsets from its start. It grows to its size as far as the shared memory goes;
// then the oldest bytes give way, unless a reader that holds still wants them: then writing waits for that reader.
type ring struct {
	mu     sync.Mutex
	buffer []byte
	size   int
	memory *budget.Budget
	taken  int64
	begin  int64 // offset of the oldest byte
	end    int64 // offset after the newest
	closed bool
	moved  chan struct{} // closed at the next change; nil while nobody waits
	held   map[*reader]struct{}
	marks  marks
}

func newRing(size int64, memory *budget.Budget) *ring {
	return &ring{size: int(size), memory: memory, held: map[*reader]struct{}{}}
}

// write keeps data, waiting while that would overwrite what a holder has not read, but not after over is closed.
func (r *ring) write(data []byte, over <-chan struct{}) {
	for len(data) > 0 {
		r.mu.Lock()
		r.grow(len(data))
		n := min(len(data), r.room())
		if n == 0 {
			moved := r.waiting()
			r.mu.Unlock()
			select {
			case <-moved:
			case <-over:
				r.release()
			}
			continue
		}
		r.put(data[:n])
		r.wake()
		r.mu.Unlock()
		data = data[n:]
	}
}

// release lets go of every holder: the command is being ended, and what it still says must not wait for anybody.
func (r *ring) release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.held)
}

// room is how much may be written at once.
func (r *ring) room() int {
	oldest := r.end
	for holder := range r.held {
		oldest = min(oldest, max(holder.offset, r.begin))
	}
	return len(r.buffer) - int(r.end-oldest)
}

// grow makes the buffer larger, by doubling, while it is full and smaller than its size.
func (r *ring) grow(more int) {
	want := int(r.end-r.begin) + more
	for len(r.buffer) < min(want, r.size) {
		next := min(max(len(r.buffer)*2, min(leastRing, r.size)), r.size)
		if charge := int64(next - len(r.buffer)); len(r.buffer) > 0 {
			if !r.memory.Take(charge) {
				return
			}
			r.taken += charge
		}
		larger := make([]byte, next)
		kept := r.buffer
		r.buffer = larger
		for at := r.begin; at < r.end; {
			from := kept[at%int64(len(kept)):]
			from = from[:min(len(from), int(r.end-at))]
			r.copyIn(at, from)
			at += int64(len(from))
		}
	}
}

func (r *ring) put(data []byte) {
	r.marks.wrote(r.end, time.Now(), r.begin)
	r.copyIn(r.end, data)
	r.end += int64(len(data))
	r.begin = max(r.begin, r.end-int64(len(r.buffer)))
}

func (r *ring) copyIn(at int64, data []byte) {
	for len(data) > 0 {
		n := copy(r.buffer[at%int64(len(r.buffer)):], data)
		data = data[n:]
		at += int64(n)
	}
}

// close says that nothing follows.
func (r *ring) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	r.wake()
}

// free gives the memory back; readers find everything gone.
func (r *ring) free() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.memory.Give(r.taken)
	r.buffer, r.taken, r.begin, r.closed = nil, 0, r.end, true
	r.wake()
}

func (r *ring) waiting() chan struct{} {
	if r.moved == nil {
		r.moved = make(chan struct{})
	}
	return r.moved
}

func (r *ring) wake() {
	if r.moved != nil {
		close(r.moved)
		r.moved = nil
	}
}

// bounds are the offsets of the oldest byte and after the newest.
func (r *ring) bounds() (begin, end int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.begin, r.end
}

// since is the offset of the oldest kept byte that was written at a time or later.
func (r *ring) since(at time.Time) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return max(r.begin, r.marks.since(at, r.end))
}

// reader goes through a ring from an offset.
type reader struct {
	ring   *ring
	offset int64
}

// reader begins at offset, which is at most the ring's end; a negative one means the oldest byte that is kept.
func (r *ring) reader(offset int64) *reader {
	r.mu.Lock()
	defer r.mu.Unlock()
	if offset < 0 {
		offset = r.begin
	}
	return &reader{r, offset}
}

// hold makes the command wait from now on where this reader would lose something.
func (d *reader) hold() {
	d.ring.mu.Lock()
	defer d.ring.mu.Unlock()
	d.ring.held[d] = struct{}{}
}

func (d *reader) letGo() {
	d.ring.mu.Lock()
	defer d.ring.mu.Unlock()
	delete(d.ring.held, d)
	d.ring.wake()
}

// piece is what poll found.
type piece struct {
	n    int           // bytes that were copied
	at   int64         // the offset of the first; later than where the last ones ended if those between are gone
	end  bool          // the stream has ended
	wait chan struct{} // closed when there may be more, if there was nothing
}

// poll copies what is there, but nothing from the offset before on (negative: no such bound).
func (d *reader) poll(into []byte, before int64) piece {
	r := d.ring
	r.mu.Lock()
	defer r.mu.Unlock()
	d.offset = max(d.offset, r.begin)
	end := r.end
	if before >= 0 {
		end = min(end, before)
	}
	if d.offset < end {
		from := r.buffer[d.offset%int64(len(r.buffer)):]
		n := copy(into, from[:min(len(from), int(end-d.offset))])
		found := piece{n: n, at: d.offset}
		d.offset += int64(n)
		r.wake()
		return found
	}
	return piece{at: d.offset, end: r.closed && d.offset >= r.end, wait: r.waiting()}
}
