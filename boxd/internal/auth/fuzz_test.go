package auth

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"dev.sandboxer/boxd/internal/config"
)

func verifier(t testing.TB) (*Verifier, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	point, err := key.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	jwk := json.RawMessage(`{"kty":"EC","crv":"P-256","kid":"k","x":"` + base64url.EncodeToString(point[1:33]) + `","y":"` + base64url.EncodeToString(point[33:]) + `"}`)
	v, err := NewVerifier(config.Config{SandboxID: "sb_a", Generation: 1, Issuer: "i", Keys: config.KeySet{Keys: []json.RawMessage{jwk}}},
		func() time.Time { return time.Unix(1000, 0) })
	if err != nil {
		t.Fatal(err)
	}
	return v, key
}

func signed(t testing.TB, key *ecdsa.PrivateKey, header, payload string) string {
	t.Helper()
	text := base64url.EncodeToString([]byte(header)) + "." + base64url.EncodeToString([]byte(payload))
	signature, err := jwt.SigningMethodES256.Sign(text, key)
	if err != nil {
		t.Fatal(err)
	}
	return text + "." + base64url.EncodeToString(signature)
}

const (
	header  = `{"alg":"ES256","typ":"at+jwt","kid":"k"}`
	payload = `{"iss":"i","aud":"urn:sandboxer:boxd:sb_a","sub":"s","gen":1,"epoch":0,"scope":"exec","jti":"j","iat":990,"nbf":990,"exp":1050}`
)

// FuzzToken sends anything but a signed token: nothing is accepted.
func FuzzToken(f *testing.F) {
	v, key := verifier(f)
	good := signed(f, key, header, payload)
	if _, err := v.Verify(good); err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{"", "..", strings.Repeat(".", 100), good + "x", good[:len(good)-2], strings.ToUpper(good), "." + good} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, token string) {
		if _, err := v.Verify(token); err == nil && token != good {
			t.Fatalf("%q was accepted", token)
		}
	})
}

// FuzzSignedClaims signs anything: what is accepted has, by an independent reading, the issuer, audience, generation and times that it must have.
func FuzzSignedClaims(f *testing.F) {
	v, key := verifier(f)
	f.Add(header, payload)
	f.Add(header, strings.Replace(payload, `"urn:sandboxer:boxd:sb_a"`, `["urn:sandboxer:boxd:sb_a"]`, 1))
	f.Add(header, strings.Replace(payload, `1050`, `999999`, 1))
	f.Add(strings.Replace(header, "ES256", "none", 1), payload)
	f.Add(`{"alg":"ES256","typ":"at+jwt","kid":"k","crit":[]}`, payload)
	f.Fuzz(func(t *testing.T, head, body string) {
		if _, err := v.Verify(signed(t, key, head, body)); err != nil {
			return
		}
		var h, c map[string]any
		if json.Unmarshal([]byte(head), &h) != nil || json.Unmarshal([]byte(body), &c) != nil {
			t.Fatalf("accepted, but no JSON: %q %q", head, body)
		}
		if aud, ok := c["aud"].([]any); ok && len(aud) == 1 {
			c["aud"] = aud[0]
		}
		life := c["exp"].(float64) - c["iat"].(float64)
		if h["alg"] != "ES256" || h["typ"] != "at+jwt" || h["kid"] != "k" || len(h) != 3 || c["iss"] != "i" || c["aud"] != "urn:sandboxer:boxd:sb_a" ||
			c["gen"] != 1.0 || life <= 0 || life > 900 || c["exp"].(float64) <= 1000 || c["nbf"].(float64) > 1005 {
			t.Fatalf("accepted: %s %s", head, body)
		}
	})
}

func TestCacheIsBoundedAndForgetsTheExpiredFirst(t *testing.T) {
	v, key := verifier(t)
	for i := range 3 * cacheSize {
		token := signed(t, key, header, strings.Replace(payload, `"j"`, `"`+strings.Repeat("j", i+1)+`"`, 1))
		if _, err := v.Verify(token); err != nil {
			t.Fatal(i, err)
		}
	}
	if size := len(v.cache.grants); size > cacheSize {
		t.Fatalf("%d tokens are kept", size)
	}
}

func TestCachedTokenIsCheckedAgain(t *testing.T) {
	v, key := verifier(t)
	now := time.Unix(1000, 0)
	v.now = func() time.Time { return now }
	token := signed(t, key, header, payload)
	accepted := func() bool { _, err := v.Verify(token); return err == nil }
	if !accepted() || !accepted() {
		t.Fatal("a good token is refused")
	}
	now = time.Unix(1050, 0)
	if accepted() {
		t.Fatal("an expired token is accepted from the cache")
	}
	now = time.Unix(1000, 0)
	v.Revoke("", 1)
	if accepted() {
		t.Fatal("a token of an older epoch is accepted")
	}
}
