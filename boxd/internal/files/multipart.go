package files

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"

	"dev.sandboxer/boxd/internal/problem"
	"dev.sandboxer/boxd/internal/web"
)

const (
	maxParts     = 10_000
	maxPartHead  = 64 << 10
	maxBoundary  = 70 // RFC 2046
	partNameHint = `give each part a filename: Content-Disposition: form-data; name="file"; filename="notes.txt"`
)

// storeParts writes each part of a multipart body to a file below the folder, each in one step. The first part that cannot be written
// ends the request with an error that names it; what came before it stays.
func (f *files) storeParts(c *web.Call, body io.Reader, boundary, folder, mode string, parents bool) error {
	if boundary == "" || len(boundary) > maxBoundary {
		return problem.New(problem.Validation, "the multipart boundary must have 1 to %d bytes", maxBoundary)
	}
	if preconditionOf(c.R.Header) != (precondition{}) {
		return problem.New(problem.Validation, "If-Match and If-None-Match do not go with several files")
	}
	if parents {
		if err := os.MkdirAll(folder, folderMode); err != nil {
			return explain(folder, err)
		}
	}
	if info, err := os.Stat(folder); err != nil {
		return explain(folder, err)
	} else if !info.IsDir() {
		return problem.New(problem.InvalidState, "%.500q is a file; path is the folder that the parts go into", folder)
	}
	head := &headLimit{from: body}
	parts := multipart.NewReader(head, boundary)
	items := []entry{}
	for {
		head.begin()
		part, err := parts.NextRawPart()
		head.end()
		if errors.Is(err, io.EOF) && len(items) == 0 {
			return problem.New(problem.Validation, "the body has no part; %s", partNameHint)
		}
		if errors.Is(err, io.EOF) {
			return c.JSON(http.StatusOK, struct {
				Items []entry `json:"items"`
			}{items})
		}
		if err != nil {
			return unreadableParts(err)
		}
		if len(items) == maxParts {
			return problem.New(problem.TooLarge, "more than %d parts; send a tar with extract=tar", maxParts)
		}
		item, err := f.storePart(part, folder, mode, parents)
		if err != nil {
			return err
		}
		items = append(items, item)
	}
}

func (f *files) storePart(part *multipart.Part, folder, mode string, parents bool) (entry, error) {
	_, values, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	if err != nil || values["filename"] == "" {
		return entry{}, problem.New(problem.Validation, "a part has no file name; %s", partNameHint)
	}
	name, err := InsideName(values["filename"])
	if err != nil {
		return entry{}, err
	}
	u, err := f.newUpload(filepath.Join(folder, name), mode, parents)
	if err != nil {
		return entry{}, err
	}
	info, _, err := u.run(partBody{part})
	if err != nil {
		return entry{}, explain(u.path, err)
	}
	return describe(u.path, info), nil
}

// partBody makes the multipart reader's errors a client's.
type partBody struct{ from io.Reader }

func (p partBody) Read(into []byte) (int, error) {
	n, err := p.from.Read(into)
	if err == nil || err == io.EOF { //nolint:errorlint // io.Reader's contract is the bare value
		return n, err
	}
	return n, unreadableParts(err)
}

func unreadableParts(err error) error {
	var known *problem.Error
	if errors.As(err, &known) {
		return err
	}
	return problem.New(problem.Validation, "the body is no readable multipart: %v", err)
}

// headLimit bounds what the multipart reader takes in while it reads a part's head, which it keeps in memory.
type headLimit struct {
	from    io.Reader
	left    int
	limited bool
}

func (h *headLimit) begin() { h.left, h.limited = maxPartHead, true }

func (h *headLimit) end() { h.limited = false }

func (h *headLimit) Read(into []byte) (int, error) {
	if !h.limited {
		return h.from.Read(into)
	}
	if h.left <= 0 {
		return 0, problem.New(problem.TooLarge, "a part's head is over %d bytes", maxPartHead)
	}
	n, err := h.from.Read(into[:min(len(into), h.left)])
	h.left -= n
	return n, err
}
