package files

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	"dev.sandboxer/boxd/internal/frames"
)

const (
	grepLine = 64 << 10 // of a longer line only so much is searched
	showLine = 512      // and so much is shown
)

// match is a line that an expression found.
type match struct {
	Path       string `json:"path"`
	LineNumber int    `json:"line_number"`
	Column     int    `json:"column"` // in bytes, from 1 on
	Line       string `json:"line"`
}

var grepReaders = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, grepLine) }}

// lines searches a file; one that holds a NUL near its start is no text and left out, and so is one that cannot be read.
func (s *search) lines(path string) error {
	file, _, err := openFile(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	reader := grepReaders.Get().(*bufio.Reader)
	defer grepReaders.Put(reader)
	reader.Reset(file)
	defer reader.Reset(nil)
	if start, _ := reader.Peek(8 << 10); bytes.IndexByte(start, 0) >= 0 {
		return nil
	}
	for number := 1; ; number++ {
		line, err := reader.ReadSlice('\n')
		s.read += int64(len(line))
		if found := s.found(path, number, line); found != nil {
			return found
		}
		for errors.Is(err, bufio.ErrBufferFull) {
			var rest []byte
			rest, err = reader.ReadSlice('\n')
			s.read += int64(len(rest))
			if stopped := s.watch(number); stopped != nil {
				return stopped
			}
		}
		if errors.Is(err, io.EOF) || err != nil {
			return nil
		}
		if stopped := s.watch(number); stopped != nil {
			return stopped
		}
	}
}

func (s *search) watch(number int) error {
	switch {
	case s.read > searchBytes:
		return s.stop("bytes")
	case s.ctx.Err() != nil:
		return errEnough
	case number%batch == 0 && time.Now().After(s.end):
		return s.stop("time")
	}
	return nil
}

func (s *search) found(path string, number int, line []byte) error {
	line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
	at := s.grep.FindIndex(line)
	if at == nil {
		return nil
	}
	return s.add(match{path, number, at[0] + 1, shown(line)})
}

// shown is text whatever the line holds.
func shown(line []byte) string {
	if len(line) > showLine {
		line = line[:frames.WholeText(line[:showLine])]
	}
	return strings.ToValidUTF8(string(line), "\uFFFD")
}
