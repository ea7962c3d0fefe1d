package main

import "golang.org/x/sys/unix"

// sockets are attempts to open one that is neither a Unix nor an IP socket.
func sockets() []probe {
	const rule = "sockets of other families"
	socket := func(name, tries string, family, kind, protocol int, held ...string) probe {
		return probe{name, rule, tries, held, func(t target) error {
			if t.outside && (family == unix.AF_ALG || family == unix.AF_KEY) { // not every kernel has them
				family, kind, protocol = unix.AF_NETLINK, unix.SOCK_RAW, 0
			}
			_, err := unix.Socket(family, kind, protocol)
			return err
		}}
	}
	return []probe{
		socket("netlink", "talk to the kernel's network", unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE, "EAFNOSUPPORT"),
		socket("audit", "talk to its audit", unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_AUDIT, "EAFNOSUPPORT"),
		socket("packet", "read packets", unix.AF_PACKET, unix.SOCK_RAW, 0, "EAFNOSUPPORT"),
		socket("vsock", "reach a hypervisor", unix.AF_VSOCK, unix.SOCK_STREAM, 0, "EAFNOSUPPORT"),
		socket("alg", "use the kernel's ciphers", unix.AF_ALG, unix.SOCK_SEQPACKET, 0, "EAFNOSUPPORT"),
		socket("key", "manage keys of IPsec", unix.AF_KEY, unix.SOCK_RAW, 2, "EAFNOSUPPORT"),
		socket("raw", "send raw IP packets", unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_TCP, "EPERM"),
		socket("raw-6", "send raw IPv6 packets", unix.AF_INET6, unix.SOCK_RAW, unix.IPPROTO_TCP, "EPERM"),
	}
}
