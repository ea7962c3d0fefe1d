package jail

import "fmt"

// The user that everything inside runs as; outside it is the sandbox's own uid.
const insideID = 1000

// ownEtc is what a jail needs of /etc and must not take from the host.
func ownEtc(hostname string) map[string]string {
	return map[string]string{
		"passwd": "root:x:0:0:root:/root:/usr/sbin/nologin\n" +
			fmt.Sprintf("sandbox:x:%d:%d:sandbox:/workspace:/bin/sh\n", insideID, insideID) +
			"nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
		"group":         fmt.Sprintf("root:x:0:\nsandbox:x:%d:\nnogroup:x:65534:\n", insideID),
		"hosts":         "127.0.0.1 localhost " + hostname + "\n::1 localhost\n",
		"hostname":      hostname + "\n",
		"nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\nservices: files\nprotocols: files\n",
		"resolv.conf":   "# no network\n",
	}
}

// hostEtc is what a jail takes from the host's /etc, nothing else.
var hostEtc = []string{
	"ld.so.cache", "alternatives", "ssl/certs", "mime.types", "services", "protocols",
	"java-*", "python3*",
}

// The host's folders that a jail sees empty.
var emptied = []string{"/usr/src", "/usr/local/etc"}

// /proc files that say too much about the host or act on it.
var masked = []string{
	"kcore", "kallsyms", "keys", "key-users", "sysrq-trigger", "timer_list", "latency_stats", "sched_debug",
	"interrupts", "iomem", "ioports", "config.gz", "cmdline", "diskstats", "bus/pci/devices",
}

var devices = []string{"null", "zero", "full", "random", "urandom", "tty"}
