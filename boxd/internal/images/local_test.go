package images_test

import (
	"archive/tar"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

// layout is what an OCI layout of a registry's content has, by path.
func layout(t *testing.T, r *registry, tags map[string]ocispec.Descriptor) map[string]string {
	t.Helper()
	files := map[string]string{ocispec.ImageLayoutFile: `{"imageLayoutVersion":"1.0.0"}`}
	index := ocispec.Index{Versioned: specs.Versioned{SchemaVersion: 2}}
	for tag, what := range tags {
		what.Annotations = map[string]string{ocispec.AnnotationRefName: tag}
		index.Manifests = append(index.Manifests, what)
	}
	text, err := json.Marshal(index)
	if err != nil {
		t.Fatal(err)
	}
	files["index.json"] = string(text)
	for name, content := range r.content {
		if sum, err := digest.Parse(name); err == nil {
			files["blobs/sha256/"+sum.Encoded()] = string(content)
		}
	}
	return files
}

func (s *store) takesFolder(files map[string]string) {
	s.t.Helper()
	s.request.Place = s.t.TempDir()
	for name, content := range files {
		path := filepath.Join(s.request.Place, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			s.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			s.t.Fatal(err)
		}
	}
}

func (s *store) takesArchive(files map[string]string) {
	s.t.Helper()
	var entries []tar.Header
	for name, content := range files {
		entries = append(entries, file(name, content))
	}
	s.request.Place = filepath.Join(s.t.TempDir(), "saved.tar")
	if err := os.WriteFile(s.request.Place, archive(s.t, entries...), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func TestAnOCILayoutIsTakenAsFolderAndAsArchive(t *testing.T) {
	r := newRegistry(t)
	files := layout(t, r, map[string]ocispec.Descriptor{
		"one": r.push("one", runtime.GOARCH, archive(t, file("a", "1"))), "two": r.push("two", runtime.GOARCH, archive(t, file("a", "2"))),
	})
	for _, take := range []func(*store){func(s *store) { s.takesFolder(files) }, func(s *store) { s.takesArchive(files) }} {
		s := newStore(t)
		take(s)
		s.request.Tag = "two"
		if s.run("fetch", s.request) != 0 {
			t.Fatalf("%v", s.said)
		}
		has(t, filepath.Join(s.said["place"], "root/a"), "2")
		s.request.Tag = ""
		if s.run("fetch", s.request) == 0 || s.said["error.code"] != "IMAGE_PULL" {
			t.Errorf("it guessed: %v", s.said)
		}
	}
}

func TestWhatDockerSavesIsTakenAndVerified(t *testing.T) {
	layer := string(archive(t, file("a", "saved")))
	config, _ := json.Marshal(ocispec.Image{Platform: ocispec.Platform{OS: "linux", Architecture: runtime.GOARCH},
		RootFS: ocispec.RootFS{Type: "layers", DiffIDs: []digest.Digest{digest.FromString(layer)}}})
	files := map[string]string{"abc/layer.tar": layer, "abc.json": string(config),
		"manifest.json": `[{"Config":"abc.json","RepoTags":["example.org:5000/tool:7"],"Layers":["abc/layer.tar"]}]`}
	s := newStore(t)
	s.takesArchive(files)
	for _, tag := range []string{"", "7"} {
		s.request.Tag = tag
		if s.run("fetch", s.request) != 0 {
			t.Fatalf("%v", s.said)
		}
		has(t, filepath.Join(s.said["place"], "root/a"), "saved")
	}
	s.request.Tag = "8"
	if s.run("fetch", s.request) == 0 || s.said["error.code"] != "IMAGE_PULL" {
		t.Errorf("it guessed: %v", s.said)
	}
	files["abc/layer.tar"] = string(archive(t, file("a", "other")))
	s = newStore(t)
	s.takesArchive(files)
	if s.run("fetch", s.request) == 0 {
		t.Errorf("it was used: %v", s.said)
	}
	s.request.Tag = ""
	if s.run("fetch", s.request) == 0 || s.said["error.code"] != "VALIDATION" {
		t.Errorf("it was used: %v", s.said)
	}
}
