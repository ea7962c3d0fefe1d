// Command images keeps the images of jails on the host: it fetches, verifies, unpacks and removes them. It is a program
// of its own so that the daemon inside, which each sandbox gets, need not carry a registry's client.
package main

import (
	"os"

	"dev.sandboxer/boxd/internal/images"
)

func main() {
	os.Exit(images.Main(os.Args[1:], os.Stdin, os.Stdout))
}
