package auth

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
)

var base64url = base64.RawURLEncoding.Strict()

// parseKeys reads public P-256 keys by their kid.
func parseKeys(jwks []json.RawMessage) (map[string]*ecdsa.PublicKey, error) {
	keys := map[string]*ecdsa.PublicKey{}
	for i, raw := range jwks {
		kid, key, err := parseKey(raw)
		if err != nil {
			return nil, fmt.Errorf("keys[%d]: %w", i, err)
		}
		if _, twice := keys[kid]; twice {
			return nil, fmt.Errorf("keys[%d]: kid %q stands twice", i, kid)
		}
		keys[kid] = key
	}
	return keys, nil
}

func parseKey(raw []byte) (string, *ecdsa.PublicKey, error) {
	jwk, err := parseObject(raw)
	if err != nil {
		return "", nil, err
	}
	if _, private := jwk["d"]; private {
		return "", nil, errors.New("it is a private key, and a sandbox must only see public ones")
	}
	kid, ok := jwk.text("kid")
	if !ok {
		return "", nil, errors.New("kid is missing")
	}
	for name, want := range map[string]string{"kty": "EC", "crv": "P-256"} {
		if got, _ := jwk.text(name); got != want {
			return "", nil, fmt.Errorf("%s is %q, must be %q", name, got, want)
		}
	}
	point, err := parsePoint(jwk)
	if err != nil {
		return "", nil, err
	}
	key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
	return kid, key, err
}

func parsePoint(jwk object) ([]byte, error) {
	point := []byte{4}
	for _, name := range []string{"x", "y"} {
		text, _ := jwk.text(name)
		coordinate, err := base64url.DecodeString(text)
		if err != nil || len(coordinate) != 32 {
			return nil, fmt.Errorf("%s is not 32 bytes in base64url", name)
		}
		point = append(point, coordinate...)
	}
	return point, nil
}
