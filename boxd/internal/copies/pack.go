package copies

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

const (
	maxDepth  = 64
	copyBytes = 256 << 10
)

// packing writes a folder of the host as a tar and records what it wrote. Everything goes through os.Root: a link that
// somebody puts there meanwhile leads nowhere.
type packing struct {
	root   *os.Root
	out    *tar.Writer
	record *record
	limits limits
	bytes  int64
	buffer []byte
}

func pack(root *os.Root, out io.Writer, limits limits) (*record, error) {
	p := &packing{root: root, out: tar.NewWriter(out), record: newRecord(), limits: limits, buffer: make([]byte, copyBytes)}
	if err := p.folder(".", 1); err != nil {
		return nil, err
	}
	return p.record, p.out.Close()
}

func (p *packing) folder(name string, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("folders lie deeper than %d", maxDepth)
	}
	dir, err := p.root.Open(name)
	if err != nil {
		return err
	}
	children, err := dir.ReadDir(-1)
	_ = dir.Close()
	if err != nil {
		return err
	}
	for _, child := range children {
		if err := p.child(filepath.Join(name, child.Name()), depth); err != nil {
			return err
		}
	}
	return nil
}

// child leaves out what is no file, folder or link, and what vanishes.
func (p *packing) child(name string, depth int) error {
	info, err := p.root.Lstat(name)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if len(p.record.entries) >= p.limits.entries {
		return fmt.Errorf("it holds more than %d files and folders", p.limits.entries)
	}
	header := &tar.Header{Name: name, Mode: int64(info.Mode().Perm()), ModTime: info.ModTime(), Format: tar.FormatPAX}
	switch info.Mode().Type() {
	case 0:
		return p.file(name, header)
	case os.ModeDir:
		header.Typeflag, header.Name = tar.TypeDir, name+"/"
		p.record.put(name, entry{Kind: folder})
		if err := p.out.WriteHeader(header); err != nil {
			return err
		}
		return p.folder(name, depth+1)
	case os.ModeSymlink:
		return p.link(name, header)
	}
	return nil
}

// link leaves out what the sandbox would refuse, as a link out of the folder.
func (p *packing) link(name string, header *tar.Header) error {
	target, err := p.root.Readlink(name)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil || !staysInside(name, target) {
		return err
	}
	header.Typeflag, header.Linkname = tar.TypeSymlink, target
	p.record.put(name, entry{Kind: link, Target: target})
	return p.out.WriteHeader(header)
}

func (p *packing) file(name string, header *tar.Header) error {
	in, info, err := openFile(p.root, name)
	if os.IsNotExist(err) || in == nil {
		return err
	}
	defer in.Close()
	p.bytes += info.Size()
	if p.bytes > p.limits.bytes {
		return fmt.Errorf("it holds more than %d bytes", p.limits.bytes)
	}
	header.Typeflag, header.Size, header.ModTime = tar.TypeReg, info.Size(), info.ModTime()
	if err := p.out.WriteHeader(header); err != nil {
		return err
	}
	hash := sha256.New()
	sent, err := io.CopyBuffer(io.MultiWriter(p.out, hash), io.LimitReader(in, info.Size()), p.buffer)
	if err != nil {
		return err
	}
	if sent < info.Size() {
		return fmt.Errorf("%q shrank while it was read", name)
	}
	p.record.put(name, entry{Kind: file, Size: sent, Time: info.ModTime().UnixNano(), Hash: hex.EncodeToString(hash.Sum(nil))})
	return nil
}

// openFile opens a file that is one: no link, and nothing that an open would wait for. Nil if it has become something else.
func openFile(root *os.Root, name string) (*os.File, os.FileInfo, error) {
	in, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := in.Stat()
	if err != nil || !info.Mode().IsRegular() {
		_ = in.Close()
		return nil, nil, err
	}
	return in, info, nil
}
