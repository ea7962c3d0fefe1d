// Package ports lets clients reach what listens on TCP inside the sandbox.
package ports

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"io"
	"net/netip"
	"os"
	"slices"
	"strconv"
)

// Listening is a socket that takes connections.
type Listening struct {
	Port    int    `json:"port"`
	Address string `json:"address"`
}

const (
	stateListen = "0A"
	maxSockets  = 10_000
)

// tables are the kernel's lists of this network namespace.
var tables = []string{"/proc/net/tcp", "/proc/net/tcp6"}

// listening reads the kernel's tables, ordered by port; a table that is not there has nothing.
func listening() []Listening {
	var all []Listening
	for _, path := range tables {
		file, err := os.Open(path)
		if err != nil {
			continue
		}
		all = append(all, parseTable(file)...)
		_ = file.Close()
	}
	slices.SortFunc(all, func(a, b Listening) int {
		if a.Port != b.Port {
			return a.Port - b.Port
		}
		return bytes.Compare([]byte(a.Address), []byte(b.Address))
	})
	return slices.Compact(all)
}

func parseTable(table io.Reader) []Listening {
	var found []Listening
	lines := bufio.NewScanner(table)
	for rows := 0; lines.Scan() && rows < maxSockets; rows++ {
		fields := bytes.Fields(lines.Bytes())
		if len(fields) < 4 || string(fields[3]) != stateListen {
			continue
		}
		if one, ok := parseAddress(fields[1]); ok {
			found = append(found, one)
		}
	}
	return found
}

// parseAddress reads "0100007F:1F90": the address in words of the machine's byte order, and the port.
func parseAddress(text []byte) (Listening, bool) {
	host, port, _ := bytes.Cut(text, []byte(":"))
	raw, err := hex.DecodeString(string(host))
	if err != nil || len(raw)%4 != 0 {
		return Listening{}, false
	}
	for word := raw; len(word) >= 4; word = word[4:] {
		slices.Reverse(word[:4]) // both machines that boxd is built for are little-endian
	}
	address, ok := netip.AddrFromSlice(raw)
	number, err := strconv.ParseUint(string(port), 16, 16)
	if !ok || err != nil {
		return Listening{}, false
	}
	return Listening{int(number), address.Unmap().String()}, true
}
