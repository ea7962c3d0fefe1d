package images

import (
	"strings"
	"time"

	"dev.sandboxer/boxd/internal/jail"
)

// ownEtc writes the files that name the jail itself over those of the image: there is nothing that they depend on.
func (u *unpacking) ownEtc() error {
	for name, content := range jail.ImageEtc() {
		if err := u.tree.file("etc/"+name, 0o644, time.Unix(0, 0), strings.NewReader(content)); err != nil {
			return err
		}
	}
	return u.tree.symlink("etc/mtab", "/proc/self/mounts")
}
