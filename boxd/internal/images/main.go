package images

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode"

	"github.com/opencontainers/go-digest"
)

const usage = `usage: images VERB
  fetch   bring the image that the JSON on stdin describes into the store; ends when stdin does
  sweep   remove what is old or too much, as the JSON on stdin says
`

const maxRequest = 1 << 20

// Request is what fetch reads from stdin.
type Request struct {
	Store        string `json:"store"`
	Image        string `json:"image"` // the full name, for people as well
	Key          string `json:"key"`   // what the name is noted under
	Place        string `json:"place"` // of a local image: its file or folder, else empty
	Tag          string `json:"tag"`   // of a local image
	Architecture string `json:"architecture"`
	Limits       Limits `json:"limits"`
	Login        *Login `json:"login"`
}

// Main runs one verb and returns the process's exit code: 0 done, 1 failed (stdout has error.code and error.message),
// 2 wrong use.
func Main(args []string, in io.Reader, out io.Writer) int {
	verbs := map[string]func(io.Reader, io.Writer) error{"fetch": fetchVerb, "sweep": sweepVerb}
	if len(args) != 1 || verbs[args[0]] == nil {
		_, _ = fmt.Fprint(os.Stderr, usage)
		return 2
	}
	if err := verbs[args[0]](in, out); err != nil {
		failure := &Failure{Internal, err.Error()}
		_ = errors.As(err, &failure)
		_, _ = fmt.Fprintf(out, "error.code=%s\nerror.message=%s\n", failure.Code, line(failure.Message))
		return 1
	}
	return 0
}

const maxLine = 2000

// line is text that fits into one line of an answer. Some of it may be a registry's or an archive's.
func line(text string) string {
	clean := strings.Map(func(one rune) rune {
		if unicode.IsControl(one) {
			return ' '
		}
		return one
	}, strings.ToValidUTF8(text, "?"))
	clean = strings.ToValidUTF8(clean[:min(len(clean), maxLine)], "")
	return strings.ReplaceAll(clean, `\`, `\\`)
}

func fetchVerb(in io.Reader, out io.Writer) error {
	decoder := json.NewDecoder(io.LimitReader(in, maxRequest))
	decoder.DisallowUnknownFields()
	var request Request
	if err := decoder.Decode(&request); err != nil {
		return fail(Internal, "the request on stdin is not valid: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { // whoever asked holds stdin open as long as it waits
		_, _ = io.Copy(io.Discard, in)
		cancel()
	}()
	store, err := openStore(request.Store)
	if err != nil {
		return err
	}
	place, err := store.fetch(ctx, request, &progress{out: out, last: time.Now()})
	if err != nil {
		return failureOf(request.Image, err)
	}
	if err := store.name(request.Key, place); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "place=%s\n", line(place))
	return err
}

// owner keeps what took a login apart from what anybody may have: who has a copy of a manifest alone, in a registry of
// its own, must not get what it names.
func (r Request) owner(what digest.Digest) digest.Digest {
	if r.Login == nil {
		return what
	}
	repository, _ := split(r.Image)
	return digest.FromString(what.String() + " " + repository)
}

// find looks for the image, nil for a local root file system.
func (r Request) find(ctx context.Context) (*image, error) {
	if r.Place != "" {
		return fromFolder(ctx, r.Place, r.Tag, r.Architecture)
	}
	return fromRegistry(ctx, r.Image, r.Login, r.Architecture)
}

func (r Request) unpackRoot(ctx context.Context, into *unpacking, progress *progress) (digest.Digest, error) {
	if r.Tag != "" {
		return "", fail(Validation, "a root file system has no tag %q", r.Tag)
	}
	info, err := os.Stat(r.Place)
	if err != nil {
		return "", err
	}
	if info.IsDir() {
		return digest.FromString("folder " + r.Key), copyFolder(ctx, r.Place, into)
	}
	return unpackArchive(ctx, r.Place, into, progress)
}
