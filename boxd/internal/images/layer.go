package images

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"errors"
	"io"
	"path"
	"strings"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sys/unix"
)

const (
	whiteout      = ".wh."
	opaque        = ".wh..wh..opq"
	aufs          = ".wh..wh."
	maxNameBytes  = 2048
	maxZstdWindow = 128 << 20
)

// unpacking is one image on its way into a tree, with what all of its layers may still take.
type unpacking struct {
	tree   *tree
	room   *room
	limits Limits
	bytes  int64
	files  int64
	layer  map[string]bool // what the present layer has written, with the folders above
}

// plain opens what may be compressed, by its first bytes as Docker does: media types are often wrong.
func plain(blob io.Reader) (io.ReadCloser, error) {
	buffered := bufio.NewReaderSize(blob, 64<<10)
	magic, err := buffered.Peek(4)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return nil, err
	case strings.HasPrefix(string(magic), "\x1f\x8b"):
		return gzip.NewReader(buffered)
	case string(magic) == "\x28\xb5\x2f\xfd":
		unzipped, err := zstd.NewReader(buffered, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxZstdWindow))
		if err != nil {
			return nil, err
		}
		return unzipped.IOReadCloser(), nil
	}
	return io.NopCloser(buffered), nil
}

// apply puts one layer over those before it.
func (u *unpacking) apply(layer io.Reader) error {
	u.layer = map[string]bool{"": true}
	entries := tar.NewReader(layer)
	for {
		header, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return broken(err)
		}
		if err := u.entry(header, entries); err != nil {
			return err
		}
	}
}

// broken is an archive that cannot be read; a reader that was cut off says so by itself.
func broken(err error) error {
	if errors.Is(err, tar.ErrHeader) || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, tar.ErrFieldTooLong) {
		return fail(Validation, "a layer is not a valid archive: %v", err)
	}
	return err
}

func (u *unpacking) entry(header *tar.Header, content io.Reader) error {
	name, err := inside(header.Name)
	if err != nil {
		return err
	}
	folder, base := path.Split(name)
	if base == opaque {
		return u.empty(strings.TrimSuffix(folder, "/"))
	}
	if strings.HasPrefix(base, aufs) {
		return nil
	}
	if hidden, is := strings.CutPrefix(base, whiteout); is {
		return u.hide(folder, hidden)
	}
	if err := u.count(header); err != nil {
		return err
	}
	return u.write(name, header, content)
}

// inside is a name as seen from the root, empty for the root itself. A slash at its begin means that root.
func inside(name string) (string, error) {
	if len(name) > maxNameBytes {
		return "", fail(Validation, "the name %.80q… has more than %d bytes", name, maxNameBytes)
	}
	if strings.ContainsRune(name, 0) {
		return "", fail(Validation, "the name %q holds a NUL", name)
	}
	for _, part := range strings.Split(name, "/") {
		if part == ".." {
			return "", fail(Validation, "the name %q leads out of the image", name)
		}
	}
	return strings.TrimPrefix(path.Clean("/"+name), "/"), nil
}

func (u *unpacking) count(header *tar.Header) error {
	u.files++
	if u.files > u.limits.Files {
		return fail(Validation, "it has more than %d files: see config.image_max_files of ext.nsjail", u.limits.Files)
	}
	switch header.Typeflag {
	case tar.TypeReg, tar.TypeCont, tar.TypeGNUSparse: // of a sparse file all, as its holes are written
		u.bytes += max(header.Size, 0)
	}
	if header.Size < 0 || u.bytes < 0 || u.bytes > u.limits.Bytes {
		return fail(Validation, "unpacked it has more than %d bytes: see config.image_max_size of ext.nsjail", u.limits.Bytes)
	}
	return u.room.take(header.Size)
}

// write makes what an entry describes. Devices, pipes and sockets are left out: no jail may use a device of an image,
// and a pipe would connect the sandboxes that share the tree. So are owners, setuid and capabilities.
func (u *unpacking) write(name string, header *tar.Header, content io.Reader) error {
	mode := uint32(header.Mode) & 0o777
	u.remember(name)
	switch header.Typeflag {
	case tar.TypeDir:
		return u.tree.mkdir(name, mode)
	case tar.TypeReg, tar.TypeCont, tar.TypeGNUSparse:
		if name == "" {
			return fail(Validation, "a file has no name")
		}
		return u.tree.file(name, mode, header.ModTime, content)
	case tar.TypeSymlink:
		if name == "" || header.Linkname == "" || len(header.Linkname) > maxNameBytes || strings.ContainsRune(header.Linkname, 0) {
			return fail(Validation, "the link %q has no target that a link can have", name)
		}
		return u.tree.symlink(name, header.Linkname)
	case tar.TypeLink:
		target, err := inside(header.Linkname)
		if err != nil || target == "" || name == "" {
			return fail(Validation, "%q is a hard link to %q, which is not in the image", name, header.Linkname)
		}
		return u.tree.link(name, target)
	}
	return nil
}

func (u *unpacking) remember(name string) {
	for name != "" && name != "." && !u.layer[name] {
		u.layer[name] = true
		name = path.Dir(name)
	}
}

// hide removes what lower layers have under a name.
func (u *unpacking) hide(folder, base string) error {
	name := folder + base
	if base == "" || base == "." || base == ".." {
		return fail(Validation, "the whiteout %q names nothing", name)
	}
	if u.layer[name] {
		return nil
	}
	parent, err := u.tree.folder(strings.TrimSuffix(folder, "/"))
	if err != nil {
		return nil // there is nothing to hide
	}
	defer unix.Close(parent)
	return u.tree.remove(parent, base)
}

// empty removes what lower layers have in a folder.
func (u *unpacking) empty(name string) error {
	fd, err := u.tree.folder(name)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	names, err := children(fd)
	if err != nil {
		return err
	}
	for _, base := range names {
		child := path.Join(name, base)
		if !u.layer[child] {
			err = errors.Join(err, u.tree.remove(fd, base))
		} else if below, failed := openBelow(fd, base); failed == nil {
			_ = unix.Close(below)
			err = errors.Join(err, u.empty(child))
		}
	}
	return err
}
