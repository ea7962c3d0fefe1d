package images

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/opencontainers/go-digest"
	"golang.org/x/sys/unix"

	"dev.sandboxer/boxd/internal/trees"
)

const (
	rootName  = "root"  // the tree that jails see
	aboutName = "about" // written last: digest, size, environment
	namesName = "names" // of images, each a file with a digest
	partsName = "parts" // what is being unpacked or removed
	usedName  = "used"  // its time is when the image was last used
)

// store is the folder of all images. One platform uses it. Processes of one that was killed may still be here, so each
// holds a lock (flock) on the folder that it works on; a folder in parts that nobody holds is a remain.
type store struct{ folder string }

func openStore(folder string) (*store, error) {
	for _, name := range []string{"", namesName, partsName} {
		if err := os.MkdirAll(filepath.Join(folder, name), 0o700); err != nil {
			return nil, err
		}
	}
	return &store{folder}, nil
}

// place is where an image lies, named by its digest.
func (s *store) place(what digest.Digest) (string, error) {
	if err := what.Validate(); err != nil || what.Algorithm() != digest.SHA256 {
		return "", fail(Unsupported, "its digest %.100q is not of SHA-256", what)
	}
	return filepath.Join(s.folder, "sha256-"+what.Encoded()), nil
}

func (s *store) has(place string) bool {
	_, err := os.Stat(filepath.Join(place, aboutName))
	return err == nil
}

// name notes which image a name means. The key holds what else must be the same, such as the time of a local file.
func (s *store) name(key, place string) error {
	sum := sha256.Sum256([]byte(key))
	file := filepath.Join(s.folder, namesName, hex.EncodeToString(sum[:]))
	if err := os.WriteFile(file+".tmp", []byte(filepath.Base(place)), 0o600); err != nil {
		return err
	}
	return os.Rename(file+".tmp", file)
}

// part is a folder for an image that is being unpacked. It goes with the process that made it.
type part struct {
	folder string
	lock   *os.File
}

func (s *store) newPart() (*part, error) {
	folder, err := os.MkdirTemp(filepath.Join(s.folder, partsName), "new-")
	if err != nil {
		return nil, err
	}
	lock, err := os.Open(folder)
	if err == nil {
		err = unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	}
	if err == nil {
		err = os.Mkdir(filepath.Join(folder, rootName), 0o700)
	}
	if err != nil {
		return nil, errors.Join(err, trees.Remove(folder))
	}
	return &part{folder, lock}, nil
}

func (p *part) root() string { return filepath.Join(p.folder, rootName) }

// remove leaves nothing of an image that was not finished; the folder is gone already where it was.
func (p *part) remove() error {
	defer p.lock.Close()
	return trees.Remove(p.folder)
}

// finish writes all to the disk and gives the image its place, unless another process was faster.
func (p *part) finish(s *store, place string, facts about) error {
	if err := os.WriteFile(filepath.Join(p.folder, usedName), nil, 0o600); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(p.folder, aboutName), facts.text(), 0o600); err != nil {
		return err
	}
	if err := unix.Syncfs(int(p.lock.Fd())); err != nil {
		return err
	}
	err := os.Rename(p.folder, place)
	if errors.Is(err, fs.ErrExist) || errors.Is(err, unix.ENOTEMPTY) {
		return nil
	}
	return err
}

// about is what is known of an unpacked image, a line name=value each.
type about struct {
	image string
	bytes int64
	files int64
	env   []string
}

func (a about) text() []byte {
	var text strings.Builder
	fmt.Fprintf(&text, "image=%s\nbytes=%d\nfiles=%d\n", a.image, a.bytes, a.files)
	for _, pair := range a.env {
		fmt.Fprintf(&text, "env=%s\n", pair)
	}
	return []byte(text.String())
}

func readAbout(place string) (about, error) {
	text, err := os.ReadFile(filepath.Join(place, aboutName))
	if err != nil {
		return about{}, err
	}
	var facts about
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		switch name {
		case "image":
			facts.image = value
		case "bytes":
			facts.bytes, _ = strconv.ParseInt(value, 10, 64)
		case "files":
			facts.files, _ = strconv.ParseInt(value, 10, 64)
		}
	}
	return facts, nil
}

// fetch brings an image into the store and returns its place.
func (s *store) fetch(ctx context.Context, request Request, progress *progress) (string, error) {
	found, err := request.find(ctx)
	if err != nil {
		return "", err
	}
	if found != nil {
		found.digest = request.owner(found.digest)
		place, err := s.place(found.digest)
		if err != nil || s.has(place) {
			return place, err
		}
	}
	made, err := s.newPart()
	if err != nil {
		return "", err
	}
	place, err := s.build(ctx, made, found, request, progress)
	return place, errors.Join(err, made.remove())
}

func (s *store) build(ctx context.Context, made *part, found *image, request Request, progress *progress) (string, error) {
	into, err := newUnpacking(made, request.Limits)
	if err != nil {
		return "", err
	}
	defer into.tree.close()
	facts := about{image: request.Image}
	var what digest.Digest
	if found == nil {
		what, err = request.unpackRoot(ctx, into, progress)
	} else {
		what, facts.env = found.digest, found.config.Config.Env
		err = found.unpack(ctx, into, progress)
	}
	if err != nil {
		return "", err
	}
	if err := into.complete(); err != nil {
		return "", err
	}
	facts.bytes, facts.files = into.bytes, into.files
	place, err := s.place(what)
	if err != nil {
		return "", err
	}
	return place, made.finish(s, place, facts)
}

func newUnpacking(made *part, limits Limits) (*unpacking, error) {
	tree, err := openTree(made.root())
	if err != nil {
		return nil, err
	}
	room := &room{fd: tree.root}
	if err := room.check(0); err != nil {
		tree.close()
		return nil, err
	}
	return &unpacking{tree: tree, room: room, limits: limits}, nil
}

// complete gives the tree what each jail has of its own in /etc, and the mode of a root.
func (u *unpacking) complete() error {
	if err := unix.Fchmod(u.tree.root, 0o755); err != nil {
		return err
	}
	names, err := children(u.tree.root)
	if err != nil {
		return err
	}
	if len(names) > maxRootEntries {
		return fail(Validation, "it has %d files and folders in its root, and %d are the most", len(names), maxRootEntries)
	}
	return u.ownEtc()
}
