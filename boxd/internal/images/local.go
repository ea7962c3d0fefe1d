package images

import (
	"archive/tar"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"golang.org/x/sys/unix"
	"oras.land/oras-go/v2/content/oci"
)

const (
	layoutFile   = "oci-layout"
	dockerSaved  = "manifest.json"
	dockerConfig = "application/vnd.docker.container.image.v1+json"
)

// fromFolder finds an image in the operator's folder: in an OCI layout, in an archive of docker save, or nil where it
// is a root file system itself.
func fromFolder(ctx context.Context, place, tag, architecture string) (*image, error) {
	info, err := os.Stat(place)
	if err != nil {
		return nil, fail(ImagePull, "it could not be read: %v", err)
	}
	if info.IsDir() {
		if _, err := os.Lstat(filepath.Join(place, layoutFile)); err != nil {
			return nil, nil
		}
		store, err := oci.NewFromFS(ctx, os.DirFS(place))
		return fromLayout(ctx, store, err, tag, architecture)
	}
	names, err := contents(place)
	if err != nil || names == nil {
		return nil, err
	}
	if _, is := names[layoutFile]; is {
		store, err := oci.NewFromTar(ctx, place)
		return fromLayout(ctx, store, err, tag, architecture)
	}
	if _, is := names[dockerSaved]; is {
		return fromSaved(ctx, &saved{place, names}, tag, architecture)
	}
	return nil, nil
}

func fromLayout(ctx context.Context, store *oci.ReadOnlyStore, err error, tag, architecture string) (*image, error) {
	if err != nil {
		return nil, fail(Validation, "it is not a valid OCI layout: %v", err)
	}
	var tags []string
	if err := store.Tags(ctx, "", func(some []string) error { tags = append(tags, some...); return nil }); err != nil {
		return nil, err
	}
	if tag == "" && len(tags) == 1 {
		tag = tags[0]
	}
	if tag == "" {
		tag = "latest"
	}
	found, err := store.Resolve(ctx, tag)
	if err != nil {
		return nil, fail(ImagePull, "the OCI layout has no %q; it has the tags %.300q", tag, tags)
	}
	text, err := read(ctx, store, found, maxManifest)
	if err != nil {
		return nil, err
	}
	if found.MediaType == "" || found.MediaType == "application/octet-stream" { // found by its digest alone
		var typed struct{ MediaType string }
		_ = json.Unmarshal(text, &typed)
		found.MediaType = typed.MediaType
	}
	return resolve(ctx, store, found, text, architecture)
}

// span is where in an archive a file's content lies.
type span struct{ at, bytes int64 }

// contents lists the files near the top of an archive that is not compressed, nil for one that is.
func contents(place string) (map[string]span, error) {
	file, err := os.Open(place)
	if err != nil {
		return nil, fail(ImagePull, "it could not be read: %v", err)
	}
	defer file.Close()
	names := map[string]span{}
	links := map[string]string{}
	entries := tar.NewReader(file)
	for range 1_000_000 {
		header, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return linked(names, links), nil
		}
		if err != nil && len(names) == 0 {
			return nil, nil // compressed, or no archive at all: unpacking it will show
		}
		if err != nil {
			return nil, fail(Validation, "it is not a valid archive: %v", err)
		}
		name := path.Clean(header.Name)
		if strings.Count(name, "/") > 2 {
			continue
		}
		at, err := file.Seek(0, io.SeekCurrent)
		if err != nil {
			return nil, err
		}
		names[name] = span{at, header.Size}
		if header.Typeflag == tar.TypeSymlink {
			links[name] = path.Join(path.Dir(name), header.Linkname)
		}
	}
	return nil, fail(Validation, "it has more files than an archive of images")
}

// linked lets a layer that stands for another one, as older versions of Docker write it, have that one's content.
func linked(names map[string]span, links map[string]string) map[string]span {
	for name, target := range links {
		if found, is := names[target]; is {
			names[name] = found
		}
	}
	return names
}

// saved is an archive as docker save writes it. Its layers are named by paths, and verified by the configuration.
type saved struct {
	place string
	names map[string]span
}

type savedImage struct {
	Config   string
	RepoTags []string
	Layers   []string
}

func fromSaved(ctx context.Context, archive *saved, tag, architecture string) (*image, error) {
	text, err := archive.read(dockerSaved)
	if err != nil {
		return nil, err
	}
	var all []savedImage
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fail(Validation, "its %s is not valid: %v", dockerSaved, err)
	}
	one, err := savedBy(all, tag)
	if err != nil {
		return nil, err
	}
	config, err := archive.read(path.Clean(one.Config))
	if err != nil {
		return nil, err
	}
	found := &image{digest: digest.FromBytes(config), source: archive}
	if err := json.Unmarshal(config, &found.config); err != nil {
		return nil, fail(Validation, "its configuration is not valid: %v", err)
	}
	for _, name := range one.Layers {
		where, is := archive.names[path.Clean(name)]
		if !is {
			return nil, fail(Validation, "layer %.100q is not in the archive", name)
		}
		found.layers = append(found.layers, ocispec.Descriptor{Size: where.bytes, Annotations: map[string]string{"name": path.Clean(name)}})
	}
	if err := found.check(architecture); err != nil {
		return nil, err
	}
	for number := range found.layers {
		found.layers[number].Digest = found.config.RootFS.DiffIDs[number]
	}
	return found, nil
}

func savedBy(all []savedImage, tag string) (savedImage, error) {
	if len(all) == 1 && tag == "" {
		return all[0], nil
	}
	var tags []string
	for _, one := range all {
		for _, name := range one.RepoTags {
			if _, its := split(name); its == tag || tag == "" && its == "latest" {
				return one, nil
			}
			tags = append(tags, name)
		}
	}
	return savedImage{}, fail(ImagePull, "the archive has no image with the tag %q; it has %.300q", tag, tags)
}

func (s *saved) read(name string) ([]byte, error) {
	where, is := s.names[name]
	if !is || where.bytes > maxConfig {
		return nil, fail(Validation, "the archive has no %.100q, or it is too large", name)
	}
	from, err := s.open(where)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	return io.ReadAll(from)
}

// Fetch opens a layer.
func (s *saved) Fetch(_ context.Context, layer ocispec.Descriptor) (io.ReadCloser, error) {
	return s.open(s.names[layer.Annotations["name"]])
}

func (s *saved) open(where span) (io.ReadCloser, error) {
	file, err := os.Open(s.place)
	if err != nil {
		return nil, err
	}
	return &struct {
		io.Reader
		io.Closer
	}{io.NewSectionReader(file, where.at, where.bytes), file}, nil
}

// unpackArchive unpacks the archive of a root file system, and says what it was.
func unpackArchive(ctx context.Context, place string, into *unpacking, progress *progress) (digest.Digest, error) {
	file, err := os.Open(place)
	if err != nil {
		return "", err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	progress.total = info.Size()
	seen := digest.SHA256.Digester()
	from := io.TeeReader(progress.watch(cancellable{ctx, file}), seen.Hash())
	opened, err := plain(from)
	if err != nil {
		return "", err
	}
	defer opened.Close()
	if err := into.apply(&bounded{opened, 2*into.limits.Bytes + checkedEach}); err != nil {
		return "", err
	}
	if _, err := io.Copy(io.Discard, from); err != nil {
		return "", err
	}
	return seen.Digest(), nil
}

type cancellable struct {
	ctx  context.Context
	from io.Reader
}

func (c cancellable) Read(into []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.from.Read(into)
}

// copyFolder copies a root file system, as if it were the one layer of an image.
func copyFolder(ctx context.Context, place string, into *unpacking) error {
	out, in := io.Pipe()
	go func() { _ = in.CloseWithError(pack(ctx, place, in)) }()
	defer out.Close()
	return into.apply(out)
}

func pack(ctx context.Context, place string, out io.Writer) error {
	archive := tar.NewWriter(out)
	err := filepath.WalkDir(place, func(name string, entry fs.DirEntry, err error) error {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		return packOne(archive, place, name, entry)
	})
	return errors.Join(err, archive.Close())
}

func packOne(archive *tar.Writer, place, name string, entry fs.DirEntry) error {
	relative, err := filepath.Rel(place, name)
	if err != nil {
		return err
	}
	info, err := entry.Info()
	if err != nil {
		return err
	}
	if base := path.Base(relative); strings.HasPrefix(base, whiteout) {
		return fail(Validation, "%q has a name that layers keep for themselves", relative)
	}
	target := ""
	switch kind := info.Mode().Type(); kind {
	case fs.ModeSymlink:
		if target, err = os.Readlink(name); err != nil {
			return err
		}
	case 0, fs.ModeDir:
	default:
		return nil
	}
	header, err := tar.FileInfoHeader(info, target)
	if err != nil {
		return err
	}
	header.Name, header.Uname, header.Gname = relative, "", ""
	if err := archive.WriteHeader(header); err != nil || !info.Mode().IsRegular() {
		return err
	}
	return packContent(archive, name, header.Size)
}

func packContent(archive io.Writer, name string, bytes int64) error {
	file, err := os.OpenFile(name, os.O_RDONLY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	if copied, err := io.Copy(archive, io.LimitReader(file, bytes)); err != nil || copied != bytes {
		return errors.Join(err, fmt.Errorf("%s changed while it was copied", name))
	}
	return nil
}
