// Package install puts this program and empty folders into volumes, for a pod whose image has neither.
package install

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
)

const usage = `usage: boxd install [--sum SHA256]... [--folder PATH]... FILE
  copies this program to FILE, if it has one of the sums, and makes folders that belong to the caller
`

// Main installs. Why it does not is the last line on stderr.
func Main(args []string) int {
	flags := flag.NewFlagSet("install", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	var sums, folders []string
	flags.Func("sum", "", func(text string) error { sums = append(sums, text); return nil })
	flags.Func("folder", "", func(text string) error { folders = append(folders, text); return nil })
	if err := flags.Parse(args); err != nil || flags.NArg() != 1 {
		fmt.Fprint(os.Stderr, usage)
		return 2
	}
	if err := install("/proc/self/exe", flags.Arg(0), sums, folders); err != nil {
		fmt.Fprintf(os.Stderr, "boxd install: %v\n", err)
		return 1
	}
	return 0
}

func install(program, to string, sums, folders []string) error {
	content, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(content)
	if own := hex.EncodeToString(sum[:]); len(sums) > 0 && !slices.Contains(sums, own) {
		return fmt.Errorf("the boxd of this image has the SHA-256 %s, and the platform's has %v: build the image from the boxd of the platform's release", own, sums)
	}
	for _, folder := range folders {
		if err := os.Mkdir(folder, 0o755); err != nil && !os.IsExist(err) {
			return err
		}
	}
	beside := to + ".part"
	if err := os.WriteFile(beside, content, 0o555); err != nil {
		return err
	}
	return os.Rename(beside, to) // a container that starts again finds the whole program
}
