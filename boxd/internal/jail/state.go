package jail

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	stateName     = "state"
	phaseStarting = "starting"
	phaseRunning  = "running"
	stopLimit     = 10 * time.Second
)

// state is what stands in a jail's folder from before the first thing is made
// until after the last is gone. Only the platform's user can write it.
type state struct {
	dir         string
	identity    Identity
	label       string
	phase       string
	created     string
	boot        string
	box         *group
	supervisor  process // nsjail
	init        process // boxd
	notEnforced []string
	image       string // the folder of the image that it is made of
}

func newState(spec *Spec, box *group) *state {
	return &state{
		dir: spec.Dir, identity: spec.Identity, label: spec.Label, phase: phaseStarting,
		created: time.Now().UTC().Format(time.RFC3339Nano), boot: bootID(), box: box, image: spec.Image,
	}
}

// bootID tells process numbers of this boot from those of an earlier one.
func bootID() string {
	text, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(text))
}

func (s *state) fields() *fields {
	f := newFields()
	f.set("version", "1")
	f.set("installation", s.identity.Installation)
	f.set("name", s.identity.Name)
	f.set("label", s.label)
	f.set("phase", s.phase)
	f.set("created_at", s.created)
	f.set("boot", s.boot)
	f.set("socket", filepath.Join(s.dir, socketName))
	f.set("cgroups", strings.Join(s.box.dirs, "\n"))
	f.set("supervisor", s.supervisor.String())
	f.set("init", s.init.String())
	f.set("not_enforced", strings.Join(s.notEnforced, ","))
	f.set("image", s.image)
	return f
}

func (s *state) save() error {
	if err := s.fields().save(filepath.Join(s.dir, stateName)); err != nil {
		return fmt.Errorf("write the jail's state: %w", err)
	}
	return nil
}

func (s *state) writeTo(out io.Writer) error {
	if s == nil {
		return nil
	}
	return s.fields().write(out)
}

func loadState(dir string) (*state, error) {
	f, err := loadFields(filepath.Join(dir, stateName))
	if err != nil {
		return nil, err
	}
	s := &state{
		dir: dir, identity: Identity{f.get("installation"), f.get("name")}, label: f.get("label"),
		phase: f.get("phase"), created: f.get("created_at"), boot: f.get("boot"), image: f.get("image"),
		box:         &group{dirs: strings.FieldsFunc(f.get("cgroups"), func(r rune) bool { return r == '\n' })},
		notEnforced: strings.FieldsFunc(f.get("not_enforced"), func(r rune) bool { return r == ',' }),
	}
	if s.boot == bootID() {
		s.supervisor, s.init = parseProcess(f.get("supervisor")), parseProcess(f.get("init"))
	}
	return s, nil
}

// end kills all of the jail and removes its cgroups; the folder stays. What
// cannot be done keeps nothing else from being done.
func (s *state) end() error {
	failed := s.box.end()
	for _, one := range append(s.strays(), s.init, s.supervisor) {
		failed = errors.Join(failed, one.end(stopLimit))
	}
	return failed
}

// groupName is the cgroup folder's name: unique on the host.
func groupName(id Identity) string {
	return "sandboxer-" + id.Installation[:8] + "-" + id.Name
}
