package seccomp

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

var update = flag.Bool("update", false, "write the profile for Docker instead of comparing it")

const dockerProfile = "../../../ext-docker/src/main/resources/dev/sandboxer/ext/docker/seccomp.json"

// A Docker Engine takes names, so the profile is made from the names in these sources.
func TestDockersProfileIsTheSameList(t *testing.T) {
	wanted, err := json.MarshalIndent(dockers(t), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	wanted = append(wanted, '\n')
	if *update {
		if err := os.WriteFile(dockerProfile, wanted, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	found, err := os.ReadFile(dockerProfile)
	if err != nil {
		t.Fatal(err)
	}
	if string(found) != string(wanted) {
		t.Errorf("%s differs from boxd's lists; write it again: go test ./internal/seccomp -run Docker -update", dockerProfile)
	}
}

type rule struct {
	Names    []string    `json:"names"`
	Action   string      `json:"action"`
	Args     []condition `json:"args,omitempty"`
	ErrnoRet *int        `json:"errnoRet,omitempty"`
}

type condition struct {
	Index    int    `json:"index"`
	Value    uint64 `json:"value"`
	ValueTwo uint64 `json:"valueTwo"`
	Op       string `json:"op"`
}

type architectures struct {
	Architecture     string   `json:"architecture"`
	SubArchitectures []string `json:"subArchitectures"`
}

type profile struct {
	DefaultAction   string          `json:"defaultAction"`
	DefaultErrnoRet int             `json:"defaultErrnoRet"`
	ArchMap         []architectures `json:"archMap"`
	Syscalls        []rule          `json:"syscalls"`
}

func dockers(t *testing.T) profile {
	rules := []rule{
		{Names: names(t, "allowed", "archAllowed"), Action: "SCMP_ACT_ALLOW"},
		// Older Engines have no default number and answer EPERM to all else; this one must not.
		{Names: []string{"clone3"}, Action: "SCMP_ACT_ERRNO", ErrnoRet: number(unix.ENOSYS)},
		{Names: names(t, "refused", "archRefused"), Action: "SCMP_ACT_ERRNO", ErrnoRet: number(unix.EPERM)},
		{Names: []string{"ioctl"}, Action: "SCMP_ACT_ALLOW"}, // two of them are refused by boxd's own filter
		when("clone", condition{0, newNamespaces, 0, "SCMP_CMP_MASKED_EQ"}),
		when("socketpair", is(0, unix.AF_UNIX)),
		when("setpriority", is(0, unix.PRIO_PROCESS), is(1, 0)),
		when("ioprio_set", is(0, 1), is(1, 0)),
	}
	for _, family := range []uint64{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6} {
		rules = append(rules, when("socket", is(0, family)))
	}
	for _, persona := range []uint64{0, 0x0008, 0x20000, 0x20008, 0xffffffff} {
		rules = append(rules, when("personality", is(0, persona)))
	}
	for _, own := range []string{"prlimit64", "sched_setaffinity", "sched_setattr", "sched_setparam", "sched_setscheduler"} {
		rules = append(rules, when(own, is(0, 0)))
	}
	return profile{
		DefaultAction:   "SCMP_ACT_ERRNO",
		DefaultErrnoRet: int(unix.ENOSYS),
		ArchMap: []architectures{
			{"SCMP_ARCH_X86_64", []string{}}, {"SCMP_ARCH_AARCH64", []string{}},
		},
		Syscalls: rules,
	}
}

func when(name string, conditions ...condition) rule {
	return rule{Names: []string{name}, Action: "SCMP_ACT_ALLOW", Args: conditions}
}

func is(index int, value uint64) condition { return condition{index, value, 0, "SCMP_CMP_EQ"} }

func number(errno unix.Errno) *int {
	n := int(errno)
	return &n
}

// names are the calls in the lists of these names, of every architecture.
func names(t *testing.T, lists ...string) []string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, list := range lists {
			for _, body := range regexp.MustCompile(`(?s)var `+list+` = \[\]int\{(.*?)\n\}`).FindAllSubmatch(text, -1) {
				for _, name := range regexp.MustCompile(`unix\.SYS_([A-Z0-9_]+)`).FindAllSubmatch(body[1], -1) {
					found = append(found, strings.ToLower(string(name[1])))
				}
			}
		}
	}
	slices.Sort(found)
	if len(found) < 10 {
		t.Fatalf("only %d names in %v", len(found), lists)
	}
	return slices.Compact(found)
}
