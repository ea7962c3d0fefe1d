package main

import (
	"net"
	"os"
	"path/filepath"
	"time"
)

// network are attempts to reach anything but the sandbox itself.
func network() []probe {
	const rule = "no network"
	reach := func(name, tries, kind, address string, held ...string) probe {
		return probe{name, rule, tries, held, func(t target) error { return connect(t, kind, address) }}
	}
	return []probe{
		reach("internet", "reach an address of the internet", "tcp", "1.1.1.1:80", "ENETUNREACH"),
		reach("internet-6", "reach one by IPv6", "tcp", "[2606:4700:4700::1111]:80", "ENETUNREACH", "EADDRNOTAVAIL"),
		reach("dns", "ask a name server", "udp", "8.8.8.8:53", "ENETUNREACH"),
		reach("metadata", "reach the cloud's metadata", "tcp", "169.254.169.254:80", "ENETUNREACH"),
		reach("private", "reach a private network", "tcp", "10.0.0.1:22", "ENETUNREACH"),
		reach("bridge", "reach Docker's bridge", "tcp", "172.17.0.1:2375", "ENETUNREACH"),
		reach("mapped", "reach an IPv4 address written as IPv6", "tcp", "[::ffff:10.0.0.1]:22", "ENETUNREACH"),
		reach("multicast", "send to a group", "udp", "224.0.0.251:5353", "ENETUNREACH"),
		reach("link-local", "reach a neighbour by IPv6", "udp", "[fe80::1%lo]:53", "ENETUNREACH", "EINVAL", "EADDRNOTAVAIL"),
		{"host-loopback", rule, "reach a server on the host's loopback", []string{"ECONNREFUSED"}, func(t target) error {
			return connect(t, "tcp", "127.0.0.1:"+platformPort())
		}},
	}
}

// platformPort is the platform's own, which inside is nobody's.
func platformPort() string {
	if port := os.Getenv("PROBES_PLATFORM_PORT"); port != "" {
		return port
	}
	return "8080"
}

// connect aims outside at a listener of its own: this machine may have no network at all.
func connect(t target, kind, address string) error {
	if t.outside {
		if kind == "udp" {
			address = "127.0.0.1:9"
		} else {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				return err
			}
			defer listener.Close()
			address = listener.Addr().String()
		}
	}
	connection, err := net.DialTimeout(kind, address, 3*time.Second)
	if err != nil {
		return err
	}
	defer connection.Close()
	if kind == "udp" {
		_, err = connection.Write([]byte("x"))
	}
	return err
}

func connectUnix(t target, path string) error {
	if t.outside {
		folder, err := os.MkdirTemp("", "probe")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		path = filepath.Join(folder, "socket")
		listener, err := net.Listen("unix", path)
		if err != nil {
			return err
		}
		defer listener.Close()
	}
	connection, err := net.Dial("unix", path)
	if err != nil {
		return err
	}
	return connection.Close()
}
