package process

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// DefaultPath is where programs are looked for when nobody says otherwise.
const DefaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// ImageEnv is what commands inherit from the image: all that the first process was given, but for the name of the machine.
func ImageEnv(environ []string) map[string]string {
	env := map[string]string{"PATH": DefaultPath, "LANG": "C.UTF-8"}
	for _, pair := range environ {
		if name, value, ok := strings.Cut(pair, "="); ok && name != "" && name != "HOSTNAME" && value != "" {
			env[name] = value
		}
	}
	return env
}

// CheckEnv is an error for a name or value that no environment can hold.
func CheckEnv(env map[string]string) error {
	for name, value := range env {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			return fmt.Errorf("env name %.80q is empty or holds = or NUL", name)
		}
		if strings.ContainsRune(value, 0) {
			return fmt.Errorf("env %.80q holds a NUL in its value", name)
		}
	}
	return nil
}

// Env is layers of environment, a later one winning.
func Env(layers ...map[string]string) map[string]string {
	env := map[string]string{}
	for _, layer := range layers {
		maps.Copy(env, layer)
	}
	return env
}

// Setup names the folder that the setup of the profile has filled: its programs are found before those of the image.
const Setup = "SANDBOXER_SETUP"

// WithSetup puts the programs of the setup at the front of PATH.
func WithSetup(env map[string]string) map[string]string {
	if env[Setup] == "" {
		return env
	}
	return Env(env, map[string]string{"PATH": env[Setup] + "/bin:" + env["PATH"]})
}

// Pairs is the environment in the kernel's form, sorted.
func Pairs(env map[string]string) []string {
	pairs := make([]string, 0, len(env))
	for name, value := range env {
		pairs = append(pairs, name+"="+value)
	}
	slices.Sort(pairs)
	return pairs
}
