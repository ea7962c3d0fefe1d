package images

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/retry"
)

const (
	connectLimit = 10 * time.Second
	answerLimit  = 30 * time.Second
	stallLimit   = 60 * time.Second
	maxHeadBytes = 64 << 10
)

// Login is a registry's, for this image alone.
type Login struct {
	Username string `json:"username"`
	Password string `json:"password"`
}

// fromRegistry finds an image by its full name, such as docker.io/library/debian:13.
func fromRegistry(ctx context.Context, name string, login *Login, architecture string) (*image, error) {
	repository, reference := split(name)
	remoteOne, err := remote.NewRepository(repository)
	if err != nil {
		return nil, fail(Validation, "it is no name of an image: %v", err)
	}
	registry := remoteOne.Reference.Registry
	remoteOne.PlainHTTP = loopback(registry)
	remoteOne.Client = client(registry, login, remoteOne.PlainHTTP)
	found, from, err := remoteOne.Manifests().FetchReference(ctx, reference)
	if errors.Is(err, auth.ErrBasicCredentialNotFound) {
		return nil, fail(ImagePull, "it could not be fetched: the registry %s wants a login", registry)
	}
	if err != nil {
		return nil, err
	}
	defer from.Close()
	if found.Size > maxManifest {
		return nil, fail(Validation, "its manifest has %d bytes, and %d are the most", found.Size, maxManifest)
	}
	text, err := content.ReadAll(from, found)
	if err != nil {
		return nil, err
	}
	return resolve(ctx, remoteOne, found, text, architecture)
}

// split takes the reference off: the digest where there is one, else the tag.
func split(name string) (string, string) {
	named, digest, byDigest := strings.Cut(name, "@")
	repository, tag := named, ""
	if colon := strings.LastIndexByte(named, ':'); colon > strings.LastIndexByte(named, '/') {
		repository, tag = named[:colon], named[colon+1:]
	}
	if byDigest {
		return repository, digest
	}
	return repository, tag
}

// loopback says whether a registry is on this machine and is spoken to without TLS, as Docker does.
func loopback(registry string) bool {
	host := registry
	if name, _, err := net.SplitHostPort(registry); err == nil {
		host = name
	}
	address := net.ParseIP(host)
	return host == "localhost" || address != nil && address.IsLoopback()
}

func client(registry string, login *Login, plain bool) *auth.Client {
	transport := &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: connectLimit}).DialContext,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    connectLimit,
		ResponseHeaderTimeout:  answerLimit,
		MaxResponseHeaderBytes: maxHeadBytes,
		DisableCompression:     true,
	}
	credential := auth.EmptyCredential
	if login != nil {
		credential = auth.Credential{Username: login.Username, Password: login.Password}
	}
	made := &auth.Client{
		Client:     &http.Client{Transport: retry.NewTransport(stalling{transport}), CheckRedirect: noDowngrade},
		Cache:      auth.NewCache(),
		Credential: auth.StaticCredential(registry, credential),
	}
	made.SetUserAgent("sandboxer")
	return made
}

// noDowngrade follows redirects, such as to where a registry keeps its blobs, but not from TLS to none.
func noDowngrade(request *http.Request, via []*http.Request) error {
	if len(via) > 5 {
		return errors.New("the registry redirects too often")
	}
	if via[0].URL.Scheme == "https" && request.URL.Scheme != "https" {
		return errors.New("the registry redirects to a connection without TLS")
	}
	return nil
}

// stalling ends a transfer that brings nothing for a minute.
type stalling struct{ next http.RoundTripper }

func (s stalling) RoundTrip(request *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(request.Context())
	response, err := s.next.RoundTrip(request.WithContext(ctx))
	if err != nil {
		cancel(nil)
		return nil, err
	}
	timer := time.AfterFunc(stallLimit, func() { cancel(errors.New("the registry sent nothing for a minute")) })
	response.Body = &stallingBody{response.Body, timer, ctx, cancel}
	return response, nil
}

type stallingBody struct {
	io.ReadCloser
	timer  *time.Timer
	ctx    context.Context
	cancel context.CancelCauseFunc
}

func (b *stallingBody) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	b.timer.Reset(stallLimit)
	if err != nil && err != io.EOF && b.ctx.Err() != nil {
		err = context.Cause(b.ctx)
	}
	return n, err
}

func (b *stallingBody) Close() error {
	b.timer.Stop()
	b.cancel(nil)
	return b.ReadCloser.Close()
}
