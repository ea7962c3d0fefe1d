// Package jail is the host-side launcher of nsjail sandboxes.
package jail

import (
	"fmt"
	"os"
)

// Main runs `boxd jail ...` with what follows the word jail and returns the exit code.
func Main(_ []string) int {
	fmt.Fprintln(os.Stderr, "boxd: jail is not part of this build")
	return 2
}
