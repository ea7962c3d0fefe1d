package images

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"
)

// The names that Docker has for the same things.
const (
	dockerManifest = "application/vnd.docker.distribution.manifest.v2+json"
	dockerIndex    = "application/vnd.docker.distribution.manifest.list.v2+json"
)

// image is what is known of an image before its layers are read.
type image struct {
	digest digest.Digest // of the manifest for this machine
	config ocispec.Image
	layers []ocispec.Descriptor
	source content.Fetcher
}

// resolve reads manifest and configuration, each verified, and chooses this machine's where there are several.
func resolve(ctx context.Context, source content.Fetcher, found ocispec.Descriptor, first []byte, architecture string) (*image, error) {
	if isIndex(found.MediaType) {
		chosen, err := choose(first, architecture)
		if err != nil {
			return nil, err
		}
		if first, err = read(ctx, source, chosen, maxManifest); err != nil {
			return nil, err
		}
		found = chosen
	}
	if found.MediaType != ocispec.MediaTypeImageManifest && found.MediaType != dockerManifest {
		return nil, fail(Unsupported, "it is of type %.80q, which is no image", found.MediaType)
	}
	var manifest ocispec.Manifest
	if err := json.Unmarshal(first, &manifest); err != nil {
		return nil, fail(Validation, "its manifest is not valid: %v", err)
	}
	config, err := read(ctx, source, manifest.Config, maxConfig)
	if err != nil {
		return nil, err
	}
	one := &image{digest: found.Digest, layers: manifest.Layers, source: source}
	if err := json.Unmarshal(config, &one.config); err != nil {
		return nil, fail(Validation, "its configuration is not valid: %v", err)
	}
	return one, one.check(architecture)
}

func isIndex(mediaType string) bool {
	return mediaType == ocispec.MediaTypeImageIndex || mediaType == dockerIndex
}

func choose(text []byte, architecture string) (ocispec.Descriptor, error) {
	var index ocispec.Index
	if err := json.Unmarshal(text, &index); err != nil {
		return ocispec.Descriptor{}, fail(Validation, "its index is not valid: %v", err)
	}
	var others []string
	for _, one := range index.Manifests {
		if one.Platform == nil || one.Platform.OS == "unknown" {
			continue // such as a record of how it was built
		}
		if one.Platform.OS == "linux" && one.Platform.Architecture == architecture {
			return one, nil
		}
		others = append(others, one.Platform.OS+"/"+one.Platform.Architecture)
	}
	if len(others) == 0 && len(index.Manifests) == 1 {
		return index.Manifests[0], nil
	}
	return ocispec.Descriptor{}, foreign(strings.Join(others, ", "), architecture)
}

func foreign(has, architecture string) error {
	return fail(Unsupported, "it is for %.300s, and this machine is linux/%s", has, architecture)
}

func (i *image) check(architecture string) error {
	if i.config.OS != "linux" && i.config.OS != "" || i.config.Architecture != architecture && i.config.Architecture != "" {
		return foreign(i.config.OS+"/"+i.config.Architecture, architecture)
	}
	if len(i.layers) > maxLayers {
		return fail(Validation, "it has %d layers, and %d are the most", len(i.layers), maxLayers)
	}
	if known := i.config.RootFS.DiffIDs; len(known) != len(i.layers) {
		return fail(Validation, "it has %d layers, and its configuration names %d", len(i.layers), len(known))
	}
	return checkEnv(i.config.Config.Env)
}

// checkEnv bounds what each command inherits.
func checkEnv(env []string) error {
	bytes := 0
	for _, pair := range env {
		bytes += len(pair)
	}
	bad := slices.ContainsFunc(env, func(pair string) bool {
		return strings.ContainsAny(pair, "\x00\n\r") || strings.IndexByte(pair, '=') < 1
	})
	if bad || bytes > maxEnvBytes {
		return fail(Validation, "its environment holds what is no variable, a line break, or more than %d bytes", maxEnvBytes)
	}
	return nil
}

func (i *image) size() int64 {
	var bytes int64
	for _, one := range i.layers {
		bytes += one.Size
	}
	return bytes
}

// read reads a small thing whole and verified.
func read(ctx context.Context, source content.Fetcher, what ocispec.Descriptor, most int64) ([]byte, error) {
	if what.Size < 0 || what.Size > most {
		return nil, fail(Validation, "%s has %d bytes, and %d are the most", what.Digest, what.Size, most)
	}
	from, err := source.Fetch(ctx, what)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	return content.ReadAll(from, what)
}

// unpack applies all layers. What a layer says is believed before its digest is known, and thrown away where that is wrong.
func (i *image) unpack(ctx context.Context, into *unpacking, progress *progress) error {
	if i.size() > into.limits.Bytes || slices.ContainsFunc(i.layers, func(one ocispec.Descriptor) bool { return one.Size < 0 }) {
		return fail(Validation, "it has %s to fetch: see config.image_max_size of ext.nsjail", megabytes(i.size()))
	}
	progress.total = i.size()
	for number, one := range i.layers {
		progress.layer(number+1, len(i.layers))
		if err := i.unpackLayer(ctx, into, one, i.config.RootFS.DiffIDs[number], progress); err != nil {
			return err
		}
	}
	return nil
}

func (i *image) unpackLayer(ctx context.Context, into *unpacking, layer ocispec.Descriptor, diff digest.Digest, progress *progress) error {
	from, err := i.source.Fetch(ctx, layer)
	if err != nil {
		return err
	}
	defer from.Close()
	if err := diff.Validate(); err != nil {
		return fail(Validation, "its configuration names a layer by %.100q: %v", diff, err)
	}
	verified := content.NewVerifyReader(progress.watch(from), layer)
	opened, err := plain(verified)
	if err != nil {
		return err
	}
	defer opened.Close()
	unpacked := diff.Verifier()
	tee := io.TeeReader(&bounded{opened, 2*into.limits.Bytes + checkedEach}, unpacked)
	if err := into.apply(tee); err != nil {
		return err
	}
	// What follows the last entry belongs to both digests.
	if _, err := io.Copy(io.Discard, tee); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, verified); err != nil {
		return err
	}
	if err := verified.Verify(); err != nil {
		return fail(Validation, "layer %s is not what its digest says: %v", layer.Digest, err)
	}
	if !unpacked.Verified() {
		return fail(Validation, "layer %s does not unpack to %s, as the configuration says", layer.Digest, diff)
	}
	return nil
}
