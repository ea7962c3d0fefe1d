// Package copies takes folders of the host to sandboxes that cannot mount them, and brings back what was made of them.
package copies

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

const usage = `usage: boxd copies VERB
  pack --root DIR --record PATH                   write the folder as a tar, and a record of what was written
  merge --root DIR --before PATH --after PATH --mark TEXT
                                                  read such a tar with a sandbox's changes, apply them, and print what was done
  unpack --root DIR                               read a tar into an empty folder for any sandbox to read, and print what was done
all take --most-bytes N and --most-entries N
`

// limits are of one folder, in both directions.
type limits struct {
	bytes   int64
	entries int
}

type options struct {
	root, record, before, after, mark string
	limits                            limits
}

// Main runs one verb. What is wrong is a line on stderr, and the exit status 1.
func Main(args []string) int {
	verbs := map[string]func(options) error{"pack": packTo, "merge": mergeFrom, "unpack": unpackTo}
	if len(args) == 0 || verbs[args[0]] == nil {
		fmt.Fprint(os.Stderr, usage)
		return 2
	}
	given, err := parse(args)
	if err != nil {
		fmt.Fprintf(os.Stderr, "boxd copies %s: %v\n%s", args[0], err, usage)
		return 2
	}
	if err := verbs[args[0]](given); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func parse(args []string) (options, error) {
	var given options
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&given.root, "root", "", "")
	flags.StringVar(&given.record, "record", "", "")
	flags.StringVar(&given.before, "before", "", "")
	flags.StringVar(&given.after, "after", "", "")
	flags.StringVar(&given.mark, "mark", "", "")
	flags.Int64Var(&given.limits.bytes, "most-bytes", 10<<30, "")
	flags.IntVar(&given.limits.entries, "most-entries", 100_000, "")
	if err := flags.Parse(args[1:]); err != nil {
		return given, err
	}
	packs := args[0] == "pack" && given.record != ""
	merges := args[0] == "merge" && given.before != "" && given.after != "" && given.mark != "" && filepath.Base(given.mark) == given.mark
	if flags.NArg() > 0 || !filepath.IsAbs(given.root) || (!packs && !merges && args[0] != "unpack") {
		return given, errors.New("something is missing or wrong")
	}
	return given, nil
}

const pipeBytes = 1 << 20

// widen lets the platform write or read ahead. The kernel may refuse it, which costs time only.
func widen(pipe *os.File) {
	_, _ = unix.FcntlInt(pipe.Fd(), unix.F_SETPIPE_SZ, pipeBytes)
}

func packTo(given options) error {
	widen(os.Stdout)
	root, err := os.OpenRoot(given.root)
	if err != nil {
		return err
	}
	defer root.Close()
	record, err := pack(root, os.Stdout, given.limits)
	if err != nil {
		return err
	}
	return record.write(given.record)
}

func mergeFrom(given options) error {
	widen(os.Stdin)
	root, err := os.OpenRoot(given.root)
	if err != nil {
		return err
	}
	defer root.Close()
	before, err := readRecord(given.before)
	if err != nil {
		return fmt.Errorf("the record of the copy cannot be read: %w", err)
	}
	after, done, err := merge(root, os.Stdin, before, given.mark, given.limits)
	if err != nil {
		return err
	}
	if err := after.write(given.after); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(done)
}

func unpackTo(given options) error {
	widen(os.Stdin)
	root, err := os.OpenRoot(given.root)
	if err != nil {
		return err
	}
	defer root.Close()
	done, err := unpack(root, os.Stdin, given.limits)
	if err != nil {
		return err
	}
	if err := sync(given.root); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(done)
}

// sync waits until all of it is on the disk: a whole archive is taken as whole after a loss of power as well.
func sync(folder string) error {
	in, err := os.Open(folder)
	if err != nil {
		return err
	}
	defer in.Close()
	return unix.Syncfs(int(in.Fd()))
}
