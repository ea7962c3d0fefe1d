package images_test

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"dev.sandboxer/boxd/internal/images"
)

// registry has blobs and manifests by digest or tag, and may lie.
type registry struct {
	t         *testing.T
	server    *httptest.Server
	content   map[string][]byte
	types     map[string]string
	asked     atomic.Int32
	cutAfter  int // of a blob, where the connection ends
	needLogin string
	diff      digest.Digest // that configurations name instead of each layer's
}

func newRegistry(t *testing.T) *registry {
	r := &registry{t: t, content: map[string][]byte{}, types: map[string]string{}}
	r.server = httptest.NewServer(http.HandlerFunc(r.answer))
	t.Cleanup(r.server.Close)
	return r
}

func (r *registry) answer(to http.ResponseWriter, request *http.Request) {
	if _, password, _ := request.BasicAuth(); password != r.needLogin {
		to.Header().Set("WWW-Authenticate", `Basic realm="test"`)
		to.WriteHeader(http.StatusUnauthorized)
		return
	}
	name := filepath.Base(request.URL.Path)
	content, is := r.content[name]
	if !is {
		to.WriteHeader(http.StatusNotFound)
		return
	}
	if kind, is := r.types[name]; is {
		to.Header().Set("Content-Type", kind)
		to.Header().Set("Docker-Content-Digest", digest.FromBytes(content).String())
	} else {
		r.asked.Add(1)
	}
	to.Header().Set("Content-Length", fmt.Sprint(len(content)))
	if r.cutAfter > 0 && r.types[name] == "" && len(content) > r.cutAfter {
		_, _ = to.Write(content[:r.cutAfter])
		panic(http.ErrAbortHandler)
	}
	_, _ = to.Write(content)
}

func (r *registry) blob(kind string, content []byte) ocispec.Descriptor {
	what := ocispec.Descriptor{MediaType: kind, Digest: digest.FromBytes(content), Size: int64(len(content))}
	r.content[what.Digest.String()] = content
	return what
}

func (r *registry) json(kind string, value any) ocispec.Descriptor {
	text, err := json.Marshal(value)
	if err != nil {
		r.t.Fatal(err)
	}
	return r.blob(kind, text)
}

func (r *registry) manifest(tag string, what ocispec.Descriptor) ocispec.Descriptor {
	r.types[what.Digest.String()], r.types[tag] = what.MediaType, what.MediaType
	r.content[tag] = r.content[what.Digest.String()]
	return what
}

// push makes an image of layers, each a plain archive.
func (r *registry) push(tag, architecture string, layers ...[]byte) ocispec.Descriptor {
	config := ocispec.Image{Platform: ocispec.Platform{OS: "linux", Architecture: architecture}}
	config.Config.Env = []string{"PATH=/image/bin", "COLOUR=green"}
	manifest := ocispec.Manifest{Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ocispec.MediaTypeImageManifest}
	for _, one := range layers {
		var zipped bytes.Buffer
		gz := gzip.NewWriter(&zipped)
		_, _ = gz.Write(one)
		_ = gz.Close()
		manifest.Layers = append(manifest.Layers, r.blob(ocispec.MediaTypeImageLayerGzip, zipped.Bytes()))
		config.RootFS.DiffIDs = append(config.RootFS.DiffIDs, digest.FromBytes(one))
	}
	for number := range config.RootFS.DiffIDs {
		config.RootFS.DiffIDs[number] = cmp.Or(r.diff, config.RootFS.DiffIDs[number])
	}
	manifest.Config = r.json(ocispec.MediaTypeImageConfig, config)
	return r.manifest(tag, r.json(ocispec.MediaTypeImageManifest, manifest))
}

func (s *store) pull(r *registry, reference string) int {
	s.request.Image = strings.TrimPrefix(r.server.URL, "http://") + "/team/app" + reference
	return s.run("fetch", s.request)
}

func (s *store) pulls(r *registry, reference string) string {
	s.t.Helper()
	if s.pull(r, reference) != 0 {
		s.t.Fatalf("refused: %v", s.said)
	}
	return filepath.Join(s.said["place"], "root")
}

func (s *store) refusesPull(r *registry, reference, code, message string) {
	s.t.Helper()
	if s.pull(r, reference) == 0 || s.said["error.code"] != code || !strings.Contains(s.said["error.message"], message) {
		s.t.Errorf("said %v, want %s with %q", s.said, code, message)
	}
	left, _ := filepath.Glob(filepath.Join(s.folder, "parts", "*"))
	if len(left) > 0 {
		s.t.Errorf("left behind: %v", left)
	}
}

func TestLayersLieOnEachOther(t *testing.T) {
	r := newRegistry(t)
	r.push("1", runtime.GOARCH,
		archive(t, file("a/one", "1"), file("a/two", "2"), file("b/old", "x"), file("b/sub/old", "x"), file("c", "file"), symlink("l", "a"), file("d/keep", "k")),
		archive(t, file("a/.wh.one", ""), file("b/sub/new", "n"), file("b/.wh..wh..opq", ""), file("c/inside", "now a folder"), file("l/x", "own"), file(".wh.none", "")),
		archive(t, file("a/one", "back"), file("d", "a file"), file("d/.wh.gone", "")))
	root := newStore(t).pulls(r, ":1")
	has(t, filepath.Join(root, "a/one"), "back")
	has(t, filepath.Join(root, "a/two"), "2")
	has(t, filepath.Join(root, "b/sub/new"), "n")
	has(t, filepath.Join(root, "c/inside"), "now a folder")
	has(t, filepath.Join(root, "l/x"), "own")
	has(t, filepath.Join(root, "d"), "a file")
	for _, gone := range []string{"b/old", "b/sub/old", "a/x", "a/.wh.one"} {
		exist(t, filepath.Join(root, gone), false)
	}
	text, _ := os.ReadFile(filepath.Join(root, "../about"))
	if !strings.Contains(string(text), "env=PATH=/image/bin\nenv=COLOUR=green\n") {
		t.Errorf("about: %s", text)
	}
}

func TestAnImageIsFetchedOnce(t *testing.T) {
	r := newRegistry(t)
	pushed := r.push("1", runtime.GOARCH, archive(t, file("a", "1")), archive(t, file("b", "2")))
	s := newStore(t)
	first := s.pulls(r, ":1")
	before := r.asked.Load()
	if second := s.pulls(r, "@"+pushed.Digest.String()); second != first || r.asked.Load()-before > 1 {
		t.Errorf("%s and %s, %d blobs", first, second, r.asked.Load()-before)
	}
	if filepath.Base(filepath.Dir(first)) != "sha256-"+pushed.Digest.Encoded() {
		t.Errorf("it lies at %s", first)
	}
}

func TestOfAnIndexThisMachinesImageIsTaken(t *testing.T) {
	r := newRegistry(t)
	own := r.push("own", runtime.GOARCH, archive(t, file("a", "own")))
	other := r.push("other", "s390x", archive(t, file("a", "other")))
	record := r.push("record", "unknown", archive(t))
	own.Platform = &ocispec.Platform{OS: "linux", Architecture: runtime.GOARCH}
	other.Platform = &ocispec.Platform{OS: "linux", Architecture: "s390x"}
	record.Platform = &ocispec.Platform{OS: "unknown", Architecture: "unknown"}
	r.manifest("all", r.json(ocispec.MediaTypeImageIndex, ocispec.Index{Versioned: specs.Versioned{SchemaVersion: 2}, Manifests: []ocispec.Descriptor{record, other, own}}))
	r.manifest("foreign", r.json(ocispec.MediaTypeImageIndex, ocispec.Index{Versioned: specs.Versioned{SchemaVersion: 2}, Manifests: []ocispec.Descriptor{record, other}}))
	has(t, filepath.Join(newStore(t).pulls(r, ":all"), "a"), "own")
	newStore(t).refusesPull(r, ":foreign", "UNSUPPORTED", "linux/s390x, and this machine is linux/"+runtime.GOARCH)
	newStore(t).refusesPull(r, ":other", "UNSUPPORTED", "linux/s390x")
}

func TestWhatIsNotItsDigestIsNotUsed(t *testing.T) {
	for _, change := range []func([]byte) []byte{
		func(old []byte) []byte { return append(bytes.Clone(old[:len(old)-1]), old[len(old)-1]^1) },
		func(old []byte) []byte { return append(bytes.Clone(old), 'x') },
		func(old []byte) []byte { return old[:len(old)-3] },
		func(old []byte) []byte { return append(append(bytes.Clone(old[:4]), 1), old[5:]...) }, // its time, which unpacks to the same
	} {
		r := newRegistry(t)
		r.push("1", runtime.GOARCH, archive(t, file("a", "1")))
		for name, content := range r.content {
			if r.types[name] == "" && bytes.HasPrefix(content, []byte("\x1f\x8b")) {
				r.content[name] = change(content)
			}
		}
		s := newStore(t)
		if s.pull(r, ":1") == 0 {
			t.Errorf("it was used: %v", s.said)
		}
	}
	lying := newRegistry(t)
	lying.diff = digest.FromString("another")
	lying.push("2", runtime.GOARCH, archive(t, file("a", "1")))
	newStore(t).refusesPull(lying, ":2", "VALIDATION", "does not unpack to")
	r := newRegistry(t)
	good := r.push("1", runtime.GOARCH, archive(t, file("a", "1")))
	r.content[good.Digest.String()] = bytes.Replace(r.content[good.Digest.String()], []byte("schemaVersion"), []byte("schemaversion"), 1)
	newStore(t).refusesPull(r, "@"+good.Digest.String(), "IMAGE_PULL", "digest")
}

func TestARegistryThatGoesAwayIsSaid(t *testing.T) {
	r := newRegistry(t)
	noise := strings.Repeat("x", 1<<20)
	r.push("1", runtime.GOARCH, archive(t, file("a", "1")), archive(t, tar.Header{Typeflag: tar.TypeReg, Name: "b", Size: int64(len(noise)), PAXRecords: map[string]string{"SANDBOXER.content": noise}}))
	r.cutAfter = 300
	newStore(t).refusesPull(r, ":1", "IMAGE_PULL", "could not be fetched")
	newStore(t).refusesPull(r, ":none", "IMAGE_PULL", "not found")
	r.server.Close()
	newStore(t).refusesPull(r, ":1", "IMAGE_PULL", "refused")
}

func TestALoginOpensARegistry(t *testing.T) {
	r := newRegistry(t)
	r.push("1", runtime.GOARCH, archive(t, file("a", "1")))
	r.needLogin = "secret"
	s := newStore(t)
	s.refusesPull(r, ":1", "IMAGE_PULL", "wants a login")
	s.request.Login = &images.Login{Username: "me", Password: "secret"}
	private := s.pulls(r, ":1")
	has(t, filepath.Join(private, "a"), "1")
	// A registry that has the manifest and nothing else gives nobody what it names.
	copied := newRegistry(t)
	for name, content := range r.content {
		if !bytes.HasPrefix(content, []byte("\x1f\x8b")) {
			copied.content[name], copied.types[name] = content, r.types[name]
		}
	}
	s.request.Login = nil
	s.refusesPull(copied, ":1", "IMAGE_PULL", "not found")
}

func TestAHundredLayers(t *testing.T) {
	r := newRegistry(t)
	var layers [][]byte
	for i := range 100 {
		layers = append(layers, archive(t, file("same", fmt.Sprint(i)), file(fmt.Sprintf("d/%d", i), "")))
	}
	r.push("1", runtime.GOARCH, layers...)
	root := newStore(t).pulls(r, ":1")
	has(t, filepath.Join(root, "same"), "99")
	for range 200 {
		layers = append(layers, layers[0])
	}
	r.push("2", runtime.GOARCH, layers...)
	newStore(t).refusesPull(r, ":2", "VALIDATION", "256 are the most")
}
