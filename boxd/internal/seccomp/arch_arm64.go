package seccomp

import "golang.org/x/sys/unix"

const (
	architecture = unix.AUDIT_ARCH_AARCH64
	otherABI     = 0 // there is none
)

var archAllowed, archRefused []int
