// Package files reads and writes the sandbox's files for clients.
package files

import (
	"dev.sandboxer/boxd/internal/config"
	"dev.sandboxer/boxd/internal/web"
)

// Routes of the files.
func Routes(_ config.Config) []web.Route { return nil }
