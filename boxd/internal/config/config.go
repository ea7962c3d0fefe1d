// Package config reads boxd's configuration file, which holds no secrets.
package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// Config is what boxd knows of its sandbox before anyone talks to it.
type Config struct {
	Installation    string `json:"installation"`
	SandboxID       string `json:"sandbox_id"`
	Generation      int64  `json:"generation"`
	Issuer          string `json:"issuer"`
	Keys            KeySet `json:"keys"`
	DeadlineSeconds int64  `json:"deadline_seconds"`
	Workspace       string `json:"workspace"`
	Home            string `json:"home"`
	Tmp             string `json:"tmp"`
	Limits          Limits `json:"limits"`
}

// KeySet is a JSON Web Key Set of public keys.
type KeySet struct {
	Keys []json.RawMessage `json:"keys"`
}

// Limits bound what one sandbox's callers can make boxd hold.
type Limits struct {
	MaxJSONBytes     int64 `json:"max_json_bytes"`
	MaxProcesses     int   `json:"max_processes"`
	MaxConnections   int   `json:"max_connections"`
	MaxHeaderBytes   int   `json:"max_header_bytes"`
	OutputLimitBytes int64 `json:"output_limit_bytes"`
}

// MaxDeadline is the longest life that a sandbox can be given.
const MaxDeadline = 366 * 24 * time.Hour

var sandboxID = regexp.MustCompile(`^sb_[a-z][a-z0-9]{0,31}$`)

func defaults() Config {
	return Config{
		Workspace: "/workspace",
		Home:      "/workspace",
		Tmp:       "/tmp",
		Limits: Limits{
			MaxJSONBytes:     1 << 20,
			MaxProcesses:     128,
			MaxConnections:   256,
			MaxHeaderBytes:   16 << 10,
			OutputLimitBytes: 10 << 20,
		},
	}
}

// Load reads and checks the file at path.
func Load(path string) (Config, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return Config{}, fmt.Errorf("config: %w", err)
	}
	config, err := Parse(raw)
	if err != nil {
		return Config{}, fmt.Errorf("config %s: %w", path, err)
	}
	return config, nil
}

// Parse reads and checks a configuration; absent limits and folders take their defaults.
func Parse(raw []byte) (Config, error) {
	config := defaults()
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&config); err != nil {
		return Config{}, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return Config{}, errors.New("something follows the JSON object")
	}
	return config, config.check()
}

func (c Config) check() error {
	switch {
	case !sandboxID.MatchString(c.SandboxID):
		return fmt.Errorf("sandbox_id %q is not sb_ and a raw id", c.SandboxID)
	case c.Issuer == "":
		return errors.New("issuer is missing")
	case c.Generation < 1:
		return fmt.Errorf("generation is %d, must be 1 or more", c.Generation)
	case len(c.Keys.Keys) == 0:
		return errors.New("keys holds no key")
	case c.DeadlineSeconds < 1 || c.DeadlineSeconds > int64(MaxDeadline/time.Second):
		return fmt.Errorf("deadline_seconds is %d, must be 1 to %d", c.DeadlineSeconds, int64(MaxDeadline/time.Second))
	}
	for name, folder := range map[string]string{"workspace": c.Workspace, "home": c.Home, "tmp": c.Tmp} {
		if !filepath.IsAbs(folder) {
			return fmt.Errorf("%s %q is not an absolute path", name, folder)
		}
	}
	return c.Limits.check()
}

func (l Limits) check() error {
	for name, value := range map[string]int64{
		"max_json_bytes":     l.MaxJSONBytes,
		"max_processes":      int64(l.MaxProcesses),
		"max_connections":    int64(l.MaxConnections),
		"max_header_bytes":   int64(l.MaxHeaderBytes),
		"output_limit_bytes": l.OutputLimitBytes,
	} {
		if value < 1 || value > 1<<30 {
			return fmt.Errorf("limits.%s is %d, must be 1 to %d", name, value, 1<<30)
		}
	}
	return nil
}
