package images

import (
	"fmt"
	"io"

	"golang.org/x/sys/unix"
)

// Limits are of one image.
type Limits struct {
	Bytes int64 `json:"bytes"` // unpacked; what is fetched may have as many
	Files int64 `json:"files"`
}

const (
	maxLayers      = 256
	maxManifest    = 4 << 20
	maxConfig      = 8 << 20
	maxEnvBytes    = 64 << 10
	maxRootEntries = 200
	minReserve     = 512 << 20
	checkedEach    = 32 << 20
)

// room keeps some of the disk free: the platform's database may lie there as well.
type room struct {
	fd    int
	taken int64
}

// take is called before so many bytes are written.
func (r *room) take(bytes int64) error {
	r.taken += bytes + 4096
	if r.taken < checkedEach && bytes < checkedEach {
		return nil
	}
	r.taken = 0
	return r.check(bytes)
}

func (r *room) check(bytes int64) error {
	var found unix.Statfs_t
	if err := unix.Fstatfs(r.fd, &found); err != nil {
		return err
	}
	free, total := int64(found.Bavail)*found.Bsize, int64(found.Blocks)*found.Bsize
	if free-bytes < min(minReserve, total/20) {
		return fail(Capacity, "the disk has no room to unpack it: %d MB are free", free>>20)
	}
	return nil
}

// bounded fails once more was read than allowed, so that a small blob cannot unpack into an endless stream.
type bounded struct {
	from io.Reader
	left int64
}

func (b *bounded) Read(into []byte) (int, error) {
	n, err := b.from.Read(into)
	if b.left -= int64(n); b.left < 0 {
		return 0, fail(Validation, "a layer unpacks to more than an image may have")
	}
	return n, err
}

func megabytes(bytes int64) string { return fmt.Sprintf("%.1f MB", float64(bytes)/1e6) }
