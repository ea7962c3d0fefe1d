// Package auth checks the relay's tokens: ES256, for this sandbox and generation alone, living for minutes at most.
package auth

import (
	"crypto/ecdsa"
	"crypto/sha256"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"dev.sandboxer/boxd/internal/config"
)

// What a token may allow.
const (
	Exec    = "exec"
	FSRead  = "fs_read"
	FSWrite = "fs_write"
	Admin   = "admin"
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
	NotBefore    time.Time
	ExpiresAt    time.Time
}

// Allows says whether the grant holds the capability.
func (g Grant) Allows(capability string) bool {
	return slices.Contains(g.Capabilities, capability)
}

// Verifier checks tokens; it is safe for concurrent use.
type Verifier struct {
	keys       map[string]*ecdsa.PublicKey
	issuer     string
	audience   string
	generation int64
	minEpoch   atomic.Int64
	now        func() time.Time
	cache      *cache
}

// NewVerifier takes issuer, sandbox, generation and keys from the configuration; it fails on a key that is not a public P-256 key.
func NewVerifier(c config.Config, now func() time.Time) (*Verifier, error) {
	keys, err := parseKeys(c.Keys.Keys)
	if err != nil {
		return nil, err
	}
	return &Verifier{
		keys:       keys,
		issuer:     c.Issuer,
		audience:   "urn:sandboxer:boxd:" + c.SandboxID,
		generation: c.Generation,
		now:        now,
		cache:      newCache(),
	}, nil
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
	grant, err := v.verify(token)
	if err != nil {
		return Grant{}, ErrInvalid
	}
	v.cache.put(hash, grant, v.now())
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
	key, known := v.keys[kid]
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
	if issuer != v.issuer || audience != v.audience {
		return Grant{}, ErrInvalid
	}
	grant, ok := times(claims)
	generation, genOK := claims.integer("gen")
	epoch, epochOK := claims.integer("epoch")
	if !ok || !genOK || !epochOK || generation != v.generation {
		return Grant{}, ErrInvalid
	}
	_, hasSubject := claims.text("sub")
	_, hasID := claims.text("jti")
	scope, hasScope := claims.text("scope")
	grant.Epoch = epoch
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
	now := v.now()
	return g.Epoch >= v.minEpoch.Load() && g.ExpiresAt.After(now) && !g.NotBefore.After(now.Add(clockSkew))
}

func decodeObject(encoded string) (object, error) {
	raw, err := base64url.DecodeString(encoded)
	if err != nil {
		return nil, err
	}
	return parseObject(raw)
}
