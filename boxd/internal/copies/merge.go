package copies

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"dev.sandboxer/boxd/internal/files"
)

// most is how many paths of a kind a report names.
const most = 100

const maxName = 255

// report is what a merge did.
type report struct {
	Written   int        `json:"written"`
	Removed   int        `json:"removed"`
	Bytes     int64      `json:"bytes"`
	Conflicts []conflict `json:"conflicts"`
	Skipped   []skip     `json:"skipped"`
}

// conflict is a path that was changed on both sides. The host's is untouched; the sandbox's is kept beside it.
type conflict struct {
	Path string `json:"path"`
	Kept string `json:"kept"` // empty where the sandbox had removed it
}

type skip struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// merging brings what a sandbox made of a copy back to the host's folder. The tar is hostile. Whatever the end of this process,
// each file is the old or the new one, and the same merge can be made again.
type merging struct {
	root   *os.Root
	before *record
	after  *record
	mark   string // ends the name of what is kept beside
	shared bool   // sandboxes with other user ids are to read it, and only they follow its links
	limits limits
	seen   map[string]bool
	moved  map[string]string // folders that go beside a file of the host
	bytes  int64
	report report
	buffer []byte
}

func merge(root *os.Root, in io.Reader, before *record, mark string, limits limits) (*record, report, error) {
	m := &merging{
		root: root, before: before, after: newRecord(), mark: mark, limits: limits,
		seen: map[string]bool{}, moved: map[string]string{}, buffer: make([]byte, copyBytes),
		report: report{Conflicts: []conflict{}, Skipped: []skip{}},
	}
	if err := m.read(in); err != nil {
		return nil, m.report, err
	}
	if err := m.remove(); err != nil {
		return nil, m.report, err
	}
	return m.after, m.report, nil
}

// unpack fills an empty folder with what every sandbox may read, whatever its user id is.
func unpack(root *os.Root, in io.Reader, limits limits) (report, error) {
	m := &merging{
		root: root, before: newRecord(), after: newRecord(), mark: ".new", shared: true, limits: limits,
		seen: map[string]bool{}, moved: map[string]string{}, buffer: make([]byte, copyBytes),
		report: report{Conflicts: []conflict{}, Skipped: []skip{}},
	}
	err := m.read(in)
	return m.report, err
}

// read takes the whole tar, and only one that has its end: what was cut at the edge of an entry would look as if the rest had been removed.
func (m *merging) read(body io.Reader) error {
	tail := &tail{in: body}
	in := tar.NewReader(tail)
	for {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			if _, err := io.Copy(io.Discard, tail); err != nil {
				return err
			}
			if !tail.zeros() {
				return errors.New("the archive is cut off")
			}
			return nil
		}
		if err != nil {
			return fmt.Errorf("the archive cannot be read: %w", err)
		}
		if err := m.entry(header, in); err != nil {
			return fmt.Errorf("%.500q: %w", header.Name, err)
		}
	}
}

func (m *merging) entry(header *tar.Header, content io.Reader) error {
	name, err := files.InsideName(header.Name)
	if err != nil {
		m.skip(header.Name, "its name leads out of the folder")
		return nil
	}
	if name == "." || m.unreachable(name) {
		return nil
	}
	if m.seen[name] {
		m.skip(name, "it comes twice")
		return nil
	}
	if len(m.seen) >= m.limits.entries {
		return fmt.Errorf("the sandbox has more than %d files and folders there", m.limits.entries)
	}
	m.seen[name] = true
	switch {
	case header.Typeflag == tar.TypeDir:
		return m.folder(name, header)
	case header.Typeflag == tar.TypeSymlink:
		return m.link(name, header.Linkname)
	case header.Typeflag == tar.TypeReg && !files.Sparse(header):
		return m.file(name, header, content)
	}
	m.skip(name, "only files, folders and links are copied back")
	return nil
}

// unreachable is whether the host has a link where the way to the path has a folder: nothing is written through it.
func (m *merging) unreachable(name string) bool {
	for at := filepath.Dir(m.place(name)); at != "."; at = filepath.Dir(at) {
		if info, err := m.root.Lstat(at); err == nil && !info.IsDir() {
			m.skip(name, fmt.Sprintf("the host has no folder at %q", at))
			m.seen[name] = true
			return true
		}
	}
	return false
}

// place is where a path of the sandbox goes.
func (m *merging) place(name string) string {
	for at := name; at != "."; at = filepath.Dir(at) {
		if to, ok := m.moved[at]; ok {
			return to + strings.TrimPrefix(name, at)
		}
	}
	return name
}

func (m *merging) folder(name string, header *tar.Header) error {
	to := m.place(name)
	m.after.put(name, entry{Kind: folder})
	info, err := m.root.Lstat(to)
	switch {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		beside := m.beside(to)
		m.moved[name] = beside
		m.conflict(name, beside)
		return m.mkdir(beside, header)
	case !os.IsNotExist(err):
		return err
	}
	if _, known := m.before.entries[name]; known {
		return nil // the host's side removed it: what the sandbox changed in it makes it again
	}
	m.report.Written++
	return m.mkdir(to, header)
}

func (m *merging) mkdir(to string, header *tar.Header) error {
	err := m.root.MkdirAll(to, 0o755)
	if err != nil {
		return err
	}
	return m.root.Chmod(to, m.mode(header)|0o700)
}

func (m *merging) mode(header *tar.Header) os.FileMode {
	mode := os.FileMode(header.Mode) & 0o777
	if !m.shared {
		return mode
	}
	if mode&0o111 != 0 || header.Typeflag == tar.TypeDir {
		return 0o755
	}
	return 0o644
}

func (m *merging) link(name, target string) error {
	if !m.shared && !staysInside(name, target) {
		m.skip(name, fmt.Sprintf("it leads to %.200q, which may lie outside", target))
		return nil
	}
	return m.settle(name, entry{Kind: link, Target: target}, func(to string) error {
		temp := m.temp(to)
		if err := m.root.Symlink(target, temp); err != nil {
			return err
		}
		return m.replace(temp, to)
	})
}

func (m *merging) file(name string, header *tar.Header, content io.Reader) error {
	m.bytes += header.Size
	if m.bytes > m.limits.bytes {
		return fmt.Errorf("the sandbox has more than %d bytes there", m.limits.bytes)
	}
	was, known := m.before.entries[name]
	untouched := known && was.Kind == file && header.Size == was.Size && m.before.settled(was) && header.ModTime.Unix() == seconds(was.Time)
	if untouched {
		m.keep(name, was)
		return nil
	}
	temp := m.temp(m.place(name))
	now, err := m.fill(temp, header, content)
	if err == nil {
		err = m.settle(name, now, func(to string) error { return m.replace(temp, to) })
	}
	_ = m.root.Remove(temp) // what was not put in place
	return err
}

// fill writes the content beside its place.
func (m *merging) fill(temp string, header *tar.Header, content io.Reader) (entry, error) {
	now := entry{Kind: file, Size: header.Size}
	if err := m.root.MkdirAll(filepath.Dir(temp), 0o755); err != nil {
		return now, err
	}
	_ = m.root.Remove(temp)
	out, err := m.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return now, err
	}
	defer out.Close()
	hash := sha256.New()
	if _, err := io.CopyBuffer(io.MultiWriter(out, hash), content, m.buffer); err != nil {
		return now, err
	}
	now.Hash = hex.EncodeToString(hash.Sum(nil))
	if err := out.Chmod(m.mode(header)); err != nil {
		return now, err
	}
	written, err := out.Stat()
	if err != nil {
		return now, err
	}
	older := header.ModTime.Before(written.ModTime()) && written.ModTime().Nanosecond() > 0 // else the file system may count whole seconds
	now.Dated = m.root.Chtimes(temp, header.ModTime, header.ModTime) == nil && older
	return now, out.Close()
}

// settle decides what becomes of a path of which both sides may have a new version.
func (m *merging) settle(name string, now entry, put func(to string) error) error {
	was, known := m.before.entries[name]
	if known && now.same(was) {
		m.keep(name, was)
		return nil
	}
	to := m.place(name)
	host, there, err := m.host(to, was)
	if err != nil {
		return err
	}
	switch {
	case there && host.same(now):
		m.after.put(name, host)
		return nil
	case there == known && (!there || host.same(was)):
		return m.write(name, to, now, put)
	}
	// Changed on both sides, or removed here and changed there, or new on both sides.
	if known {
		m.after.put(name, was) // what is still open is reported again
	}
	if !there {
		m.conflict(name, to)
		return m.write(name, to, now, put)
	}
	beside := m.beside(to)
	if kept, there, err := m.host(beside, entry{}); err != nil || (there && kept.same(now)) {
		return err
	}
	m.conflict(name, beside)
	return put(beside)
}

func (m *merging) write(name, to string, now entry, put func(string) error) error {
	if err := put(to); err != nil {
		return err
	}
	if info, err := m.root.Lstat(to); err == nil && now.Kind == file {
		now.Time = info.ModTime().UnixNano()
	}
	m.after.put(name, now)
	m.report.Written++
	m.report.Bytes += now.Size
	return nil
}

// keep notes a path that the sandbox left as it was, whatever the host did with it.
func (m *merging) keep(name string, was entry) {
	m.after.put(name, was)
}

// host is what the host has at a path; its content is only read if size or time differ from what is known.
func (m *merging) host(path string, was entry) (entry, bool, error) {
	info, err := m.root.Lstat(path)
	if os.IsNotExist(err) {
		return entry{}, false, nil
	}
	if err != nil {
		return entry{}, false, err
	}
	switch info.Mode().Type() {
	case os.ModeDir:
		return entry{Kind: folder}, true, nil
	case os.ModeSymlink:
		target, err := m.root.Readlink(path)
		return entry{Kind: link, Target: target}, true, err
	case 0:
		if was.Kind == file && info.Size() == was.Size && info.ModTime().UnixNano() == was.Time && m.before.dated(was) {
			return was, true, nil
		}
		return m.hashed(path)
	}
	return entry{Kind: "other"}, true, nil
}

func (m *merging) hashed(path string) (entry, bool, error) {
	in, info, err := openFile(m.root, path)
	if err != nil || in == nil {
		return entry{Kind: "other"}, true, err
	}
	defer in.Close()
	hash := sha256.New()
	size, err := io.CopyBuffer(struct{ io.Writer }{hash}, in, m.buffer)
	return entry{Kind: file, Size: size, Time: info.ModTime().UnixNano(), Hash: hex.EncodeToString(hash.Sum(nil))}, true, err
}

// replace puts something in place in one step, as the property of whoever had what it replaces.
func (m *merging) replace(temp, to string) error {
	if info, err := m.root.Lstat(to); err == nil {
		if info.IsDir() {
			return m.root.Rename(temp, m.beside(to))
		}
		if owner, ok := info.Sys().(*syscall.Stat_t); ok {
			_ = m.root.Lchown(temp, int(owner.Uid), int(owner.Gid))
		}
	}
	return m.root.Rename(temp, to)
}

// beside is where the sandbox's version is kept; a long name is cut.
func (m *merging) beside(to string) string {
	dir, name := filepath.Split(to)
	return dir + name[:min(len(name), maxName-len(m.mark))] + m.mark
}

func (m *merging) temp(to string) string {
	return filepath.Join(filepath.Dir(to), ".part"+m.mark)
}

// remove takes away what the sandbox removed, unless the host's has changed; folders once they are empty.
func (m *merging) remove() error {
	var folders []string
	for name, was := range m.before.entries {
		if m.seen[name] {
			continue
		}
		if was.Kind == folder {
			folders = append(folders, name)
			continue
		}
		host, there, err := m.host(name, was)
		switch {
		case err != nil:
			return err
		case !there:
		case !host.same(was):
			m.after.put(name, was)
			m.conflict(name, "")
		default:
			if err := m.root.Remove(name); err != nil {
				return err
			}
			m.report.Removed++
		}
	}
	slices.SortFunc(folders, func(a, b string) int { return strings.Count(b, "/") - strings.Count(a, "/") })
	for _, name := range folders {
		if m.root.Remove(name) == nil {
			m.report.Removed++
		}
	}
	return nil
}

func (m *merging) conflict(path, kept string) {
	if len(m.report.Conflicts) < most {
		m.report.Conflicts = append(m.report.Conflicts, conflict{path, kept})
	}
}

func (m *merging) skip(path, why string) {
	if len(m.report.Skipped) < most {
		m.report.Skipped = append(m.report.Skipped, skip{path, why})
	}
}

// tail remembers whether the last bytes were zero, as the end of a tar is.
type tail struct {
	in    io.Reader
	count int
}

const trailer = 1024

func (t *tail) Read(into []byte) (int, error) {
	n, err := t.in.Read(into)
	for i := n - 1; i >= 0 && n-1-i < trailer; i-- {
		if into[i] != 0 {
			t.count = n - 1 - i
			return n, err
		}
	}
	t.count += n
	return n, err
}

func (t *tail) zeros() bool { return t.count >= trailer }

// seconds are as archives without fractions have them.
func seconds(nanos int64) int64 {
	return time.Unix(0, nanos).Unix()
}

func staysInside(name, target string) bool {
	return files.StaysInside(filepath.Dir(name), target)
}
