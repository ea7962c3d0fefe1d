// Package auth checks the relay's tokens: ES256, for this sandbox and generation alone, living for minutes at most.
package auth

import (
	"crypto/ecdsa"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"dev.sandboxer/boxd/internal/config"
)

// What a token may allow.
const (
	Exec    = "exec"
	Shell   = "shell"
	FSRead  = "fs_read"
	FSWrite = "fs_write"
	Process = "process"
	Port    = "port"
	Admin   = "admin"
	Any     = "*" // any valid token
)

const (
	maxTokenBytes = 4096
	maxLife       = 900 * time.Second
	clockSkew     = 5 * time.Second
)

// ErrInvalid is every reason for which a token is refused: telling them apart would help only an attacker.
var ErrInvalid = errors.New("the token is not valid here")

// Grant is what a verified token allows, until when.
type Grant struct {
	Capabilities []string
	Epoch        int64
	Session      string // empty for a token of no session
	NotBefore    time.Time
	ExpiresAt    time.Time
}

// Allows says whether the grant holds the capability.
func (g Grant) Allows(capability string) bool {
	return slices.Contains(g.Capabilities, capability)
}

// Verifier checks tokens and knows the calls that they opened; it is safe for concurrent use.
type Verifier struct {
	issuer string
	now    func() time.Time
	cache  *cache

	mu         sync.RWMutex
	keys       map[string]*ecdsa.PublicKey
	audience   string
	generation int64
	minEpoch   int64
	sessions   map[string]int64 // minima of single sessions
	streams    map[*Stream]struct{}
}

// NewVerifier takes issuer, sandbox, generation and keys from the configuration; it fails on a key that is not a public P-256 key.
func NewVerifier(c config.Config, now func() time.Time) (*Verifier, error) {
	keys, err := parseKeys(c.Keys.Keys)
	if err != nil {
		return nil, err
	}
	v := &Verifier{
		keys:     keys,
		issuer:   c.Issuer,
		now:      now,
		cache:    newCache(),
		sessions: map[string]int64{},
		streams:  map[*Stream]struct{}{},
	}
	v.Identify(c.SandboxID, c.Generation)
	return v, nil
}

// Identify says whose tokens count from now on: a pooled sandbox gets its identity late.
func (v *Verifier) Identify(sandboxID string, generation int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.audience, v.generation = "urn:sandboxer:boxd:"+sandboxID, generation
	v.cache.clear()
}

// Trust replaces the keys; on an error the present ones stay.
func (v *Verifier) Trust(jwks []json.RawMessage) error {
	keys, err := parseKeys(jwks)
	if err != nil {
		return err
	}
	if len(keys) == 0 {
		return errors.New("keys holds no key")
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.keys = keys
	v.cache.clear()
	return nil
}

// Verify returns what the token allows, or ErrInvalid.
func (v *Verifier) Verify(token string) (Grant, error) {
	if len(token) > maxTokenBytes {
		return Grant{}, ErrInvalid
	}
	hash := tokenHash(sha256.Sum256([]byte(token)))
	if grant, ok := v.cache.get(hash); ok {
		if v.current(grant) {
			return grant, nil
		}
		v.cache.drop(hash)
		return Grant{}, ErrInvalid
	}
	age := v.cache.clears()
	grant, err := v.verify(token)
	if err != nil {
		return Grant{}, ErrInvalid
	}
	v.cache.put(hash, grant, v.now(), age)
	return grant, nil
}

func (v *Verifier) verify(token string) (Grant, error) {
	head, rest, _ := strings.Cut(token, ".")
	payload, signature, ok := strings.Cut(rest, ".")
	if !ok {
		return Grant{}, ErrInvalid
	}
	key, err := v.key(head)
	if err != nil {
		return Grant{}, err
	}
	signed, err := base64url.DecodeString(signature)
	if err != nil {
		return Grant{}, err
	}
	if err := jwt.SigningMethodES256.Verify(head+"."+payload, signed, key); err != nil {
		return Grant{}, err
	}
	return v.claims(payload)
}

// key takes alg, typ and kid and nothing else: a header that names or embeds a key, or wants an extension, is refused.
func (v *Verifier) key(encoded string) (*ecdsa.PublicKey, error) {
	header, err := decodeObject(encoded)
	if err != nil || len(header) != 3 {
		return nil, ErrInvalid
	}
	if alg, _ := header.text("alg"); alg != "ES256" {
		return nil, ErrInvalid
	}
	if typ, _ := header.text("typ"); typ != "at+jwt" {
		return nil, ErrInvalid
	}
	kid, _ := header.text("kid")
	v.mu.RLock()
	key, known := v.keys[kid]
	v.mu.RUnlock()
	if !known {
		return nil, ErrInvalid
	}
	return key, nil
}

func (v *Verifier) claims(encoded string) (Grant, error) {
	claims, err := decodeObject(encoded)
	if err != nil {
		return Grant{}, err
	}
	issuer, _ := claims.text("iss")
	audience, _ := claims.single("aud")
	v.mu.RLock()
	wantAudience, wantGeneration := v.audience, v.generation
	v.mu.RUnlock()
	if issuer != v.issuer || audience != wantAudience {
		return Grant{}, ErrInvalid
	}
	grant, ok := times(claims)
	generation, genOK := claims.integer("gen")
	epoch, epochOK := claims.integer("epoch")
	if !ok || !genOK || !epochOK || generation != wantGeneration {
		return Grant{}, ErrInvalid
	}
	_, hasSubject := claims.text("sub")
	_, hasID := claims.text("jti")
	scope, hasScope := claims.text("scope")
	grant.Epoch = epoch
	grant.Session, _ = claims.text("sid")
	if !hasSubject || !hasID || !hasScope || !v.current(grant) {
		return Grant{}, ErrInvalid
	}
	grant.Capabilities = strings.Fields(scope)
	return grant, nil
}

func times(claims object) (Grant, bool) {
	iat, iatOK := claims.integer("iat")
	nbf, nbfOK := claims.integer("nbf")
	exp, expOK := claims.integer("exp")
	if !iatOK || !nbfOK || !expOK || iat < 0 || nbf < 0 || exp <= iat || exp-iat > int64(maxLife/time.Second) {
		return Grant{}, false
	}
	return Grant{NotBefore: time.Unix(max(iat, nbf), 0), ExpiresAt: time.Unix(exp, 0)}, true
}

func (v *Verifier) current(g Grant) bool {
	v.mu.RLock()
	revoked := v.revoked(g)
	v.mu.RUnlock()
	now := v.now()
	return !revoked && g.ExpiresAt.After(now) && !g.NotBefore.After(now.Add(clockSkew))
}

func decodeObject(encoded string) (object, error) {
	raw, err := base64url.DecodeString(encoded)
	if err != nil {
		return nil, err
	}
	return parseObject(raw)
}
