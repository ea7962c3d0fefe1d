package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/asn1"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

var encoding = base64.RawURLEncoding

// forge signs any header and payload, however odd.
func (s *sandbox) forge(header, payload string) string {
	s.t.Helper()
	signed := encoding.EncodeToString([]byte(header)) + "." + encoding.EncodeToString([]byte(payload))
	signature, err := jwt.SigningMethodES256.Sign(signed, s.key)
	must(s.t, err)
	return signed + "." + encoding.EncodeToString(signature)
}

const goodHeader = `{"alg":"ES256","typ":"at+jwt","kid":"k1"}`

func (s *sandbox) payload(change jwt.MapClaims) string {
	s.t.Helper()
	claims := s.claims("exec fs_read fs_write admin")
	for name, value := range change {
		if value == nil {
			delete(claims, name)
		} else {
			claims[name] = value
		}
	}
	raw, err := json.Marshal(claims)
	must(s.t, err)
	return string(raw)
}

func (s *sandbox) hmac(method jwt.SigningMethod, secret []byte) string {
	s.t.Helper()
	token := jwt.NewWithClaims(method, s.claims("exec"))
	token.Header["typ"], token.Header["kid"] = "at+jwt", "k1"
	signed, err := token.SignedString(secret)
	must(s.t, err)
	return signed
}

func (s *sandbox) badTokens() map[string]string {
	t := s.t
	good := s.forge(goodHeader, s.payload(nil))
	parts := strings.Split(good, ".")
	head, body, signature := parts[0], parts[1], parts[2]
	raw, err := encoding.DecodeString(signature)
	must(t, err)
	r, v := new(big.Int).SetBytes(raw[:32]), new(big.Int).SetBytes(raw[32:])
	der, err := asn1.Marshal(struct{ R, S *big.Int }{r, v})
	must(t, err)
	public, err := x509.MarshalPKIXPublicKey(&s.key.PublicKey)
	must(t, err)
	publicPEM := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	stranger := &sandbox{t: t, key: other}
	digest := sha256.Sum256([]byte(head + "." + body))
	foreign, err := other.Sign(rand.Reader, digest[:], nil)
	must(t, err)
	now := time.Now().Unix()
	bad := map[string]string{
		"nothing": "", "not a token": "x", "dots": "..", "more dots": "....", "an API key": "sbxk_" + strings.Repeat("ab", 32),
		"four parts": good + ".x", "five parts, as JWE": good + ".x.y", "two parts": head + "." + body, "blank signature": head + "." + body + ".",
		"space behind": good + " x", "padding": good + "==", "newline": good + "A",
		"another key": stranger.forge(goodHeader, s.payload(nil)), "another signature": head + "." + body + "." + encoding.EncodeToString(foreign),
		"DER signature": head + "." + body + "." + encoding.EncodeToString(der), "zero signature": head + "." + body + "." + encoding.EncodeToString(make([]byte, 64)),
		"short signature": head + "." + body + "." + encoding.EncodeToString(raw[:63]), "long signature": head + "." + body + "." + encoding.EncodeToString(append(raw, 0)),
		"changed payload":         head + "." + encoding.EncodeToString([]byte(s.payload(jwt.MapClaims{"sub": "root"}))) + "." + signature,
		"JSON serialization":      `{"protected":"` + head + `","payload":"` + body + `","signature":"` + signature + `"}`,
		"huge":                    s.forge(goodHeader, s.payload(jwt.MapClaims{"x": strings.Repeat("x", 5000)})),
		"HS256 with the key":      s.hmac(jwt.SigningMethodHS256, public),
		"HS256 with the PEM":      s.hmac(jwt.SigningMethodHS256, publicPEM),
		"HS512 with the PEM":      s.hmac(jwt.SigningMethodHS512, publicPEM),
		"payload is no object":    s.forge(goodHeader, `[]`),
		"payload is no JSON":      s.forge(goodHeader, `{`),
		"payload and more":        s.forge(goodHeader, s.payload(nil)+`{}`),
		"header is no object":     s.forge(`"ES256"`, s.payload(nil)),
		"claim twice":             s.forge(goodHeader, strings.TrimSuffix(s.payload(nil), "}")+`,"gen":3}`),
		"header twice":            s.forge(`{"alg":"ES256","alg":"ES256","typ":"at+jwt","kid":"k1"}`, s.payload(nil)),
		"claims in upper case":    s.forge(goodHeader, strings.Replace(s.payload(nil), `"aud"`, `"AUD"`, 1)),
		"scope as array":          s.forge(goodHeader, s.payload(jwt.MapClaims{"scope": []string{"exec"}})),
		"generation as text":      s.forge(goodHeader, s.payload(jwt.MapClaims{"gen": "3"})),
		"generation as fraction":  s.forge(goodHeader, s.payload(jwt.MapClaims{"gen": 3.5})),
		"an older generation":     s.forge(goodHeader, s.payload(jwt.MapClaims{"gen": 2})),
		"a later generation":      s.forge(goodHeader, s.payload(jwt.MapClaims{"gen": 4})),
		"negative epoch":          s.forge(goodHeader, s.payload(jwt.MapClaims{"epoch": -1})),
		"epoch as text":           s.forge(goodHeader, s.payload(jwt.MapClaims{"epoch": "0"})),
		"expired":                 s.forge(goodHeader, s.payload(jwt.MapClaims{"iat": now - 120, "nbf": now - 120, "exp": now - 60})),
		"expires now":             s.forge(goodHeader, s.payload(jwt.MapClaims{"iat": now - 60, "exp": now})),
		"not yet":                 s.forge(goodHeader, s.payload(jwt.MapClaims{"nbf": now + 60})),
		"issued in the future":    s.forge(goodHeader, s.payload(jwt.MapClaims{"iat": now + 100, "exp": now + 200})),
		"lives too long":          s.forge(goodHeader, s.payload(jwt.MapClaims{"iat": now, "exp": now + 901})),
		"lives for ever":          s.forge(goodHeader, s.payload(jwt.MapClaims{"exp": int64(1) << 62})),
		"overflowing life":        s.forge(goodHeader, s.payload(jwt.MapClaims{"iat": -(int64(1) << 62), "exp": int64(1) << 62})),
		"ends before it begins":   s.forge(goodHeader, s.payload(jwt.MapClaims{"exp": now - 10})),
		"exp as text":             s.forge(goodHeader, s.payload(jwt.MapClaims{"exp": "9999999999"})),
		"exp as a huge number":    s.forge(goodHeader, strings.Replace(s.payload(jwt.MapClaims{"exp": 77}), `"exp":77`, `"exp":1e300`, 1)),
		"another issuer":          s.forge(goodHeader, s.payload(jwt.MapClaims{"iss": "urn:sandboxer:other"})),
		"another sandbox":         s.forge(goodHeader, s.payload(jwt.MapClaims{"aud": "urn:sandboxer:boxd:sb_zzzzzzzzzzzzzzzzzzzz"})),
		"a client's audience":     s.forge(goodHeader, s.payload(jwt.MapClaims{"aud": "urn:sandboxer:sandbox:" + sandboxID})),
		"audience with a prefix":  s.forge(goodHeader, s.payload(jwt.MapClaims{"aud": "urn:sandboxer:boxd:" + sandboxID + "x"})),
		"two audiences":           s.forge(goodHeader, s.payload(jwt.MapClaims{"aud": []string{"urn:sandboxer:boxd:" + sandboxID, "other"}})),
		"no audiences":            s.forge(goodHeader, s.payload(jwt.MapClaims{"aud": []string{}})),
		"audience in two arrays":  s.forge(goodHeader, s.payload(jwt.MapClaims{"aud": [][]string{{"urn:sandboxer:boxd:" + sandboxID}}})),
		"audience as number":      s.forge(goodHeader, s.payload(jwt.MapClaims{"aud": 1})),
		"empty subject":           s.forge(goodHeader, s.payload(jwt.MapClaims{"sub": ""})),
		"standard base64":         strings.NewReplacer("-", "+", "_", "/").Replace(s.forge(goodHeader, s.payload(jwt.MapClaims{"sub": "????>>>>"}))) + "+/",
		"compressed":              s.forge(`{"alg":"ES256","typ":"at+jwt","kid":"k1","zip":"DEF"}`, s.payload(nil)),
		"critical extension":      s.forge(`{"alg":"ES256","typ":"at+jwt","kid":"k1","crit":["x"],"x":1}`, s.payload(nil)),
		"unencoded payload":       s.forge(`{"alg":"ES256","typ":"at+jwt","kid":"k1","b64":false}`, s.payload(nil)),
		"embedded key":            stranger.forge(`{"alg":"ES256","typ":"at+jwt","kid":"k1","jwk":{"kty":"EC"}}`, s.payload(nil)),
		"key by URL":              stranger.forge(`{"alg":"ES256","typ":"at+jwt","kid":"k1","jku":"http://127.0.0.1/"}`, s.payload(nil)),
		"certificate by URL":      stranger.forge(`{"alg":"ES256","typ":"at+jwt","kid":"k1","x5u":"http://127.0.0.1/"}`, s.payload(nil)),
		"ID token type":           s.forge(`{"alg":"ES256","typ":"JWT","kid":"k1"}`, s.payload(nil)),
		"no type":                 s.forge(`{"alg":"ES256","kid":"k1"}`, s.payload(nil)),
		"no algorithm":            s.forge(`{"typ":"at+jwt","kid":"k1"}`, s.payload(nil)),
		"ES384 said":              s.forge(`{"alg":"ES384","typ":"at+jwt","kid":"k1"}`, s.payload(nil)),
		"RS256 said":              s.forge(`{"alg":"RS256","typ":"at+jwt","kid":"k1"}`, s.payload(nil)),
		"lower case alg":          s.forge(`{"alg":"es256","typ":"at+jwt","kid":"k1"}`, s.payload(nil)),
		"alg as array":            s.forge(`{"alg":["ES256"],"typ":"at+jwt","kid":"k1"}`, s.payload(nil)),
		"deeply nested, unsigned": encoding.EncodeToString([]byte(strings.Repeat("[", 2500))) + "." + body + "." + signature,
	}
	for _, alg := range []string{"none", "None", "NONE", "nOnE"} {
		header := encoding.EncodeToString([]byte(`{"alg":"` + alg + `","typ":"at+jwt","kid":"k1"}`))
		bad["alg "+alg], bad["alg "+alg+" with a signature"] = header+"."+body+".", header+"."+body+"."+signature
	}
	for _, kid := range []string{"", " ", "k2", "K1", "../k1", "/dev/null", "k1' OR '1'='1", "k1\\u0000"} {
		bad["kid "+kid] = s.forge(`{"alg":"ES256","typ":"at+jwt","kid":"`+kid+`"}`, s.payload(nil))
	}
	for _, claim := range []string{"iss", "aud", "sub", "gen", "epoch", "scope", "jti", "iat", "nbf", "exp"} {
		bad["without "+claim] = s.forge(goodHeader, s.payload(jwt.MapClaims{claim: nil}))
		bad["null "+claim] = s.forge(goodHeader, strings.TrimSuffix(s.payload(jwt.MapClaims{claim: nil}), "}")+`,"`+claim+`":null}`)
	}
	return bad
}

var requestIDs = regexp.MustCompile(`req_[a-z0-9]+`)

func TestBadTokensAllGetTheSameAnswer(t *testing.T) {
	s := start(t)
	good := s.forge(goodHeader, s.payload(nil))
	tokens := s.badTokens()
	if len(tokens) < 60 {
		t.Fatalf("only %d bad tokens", len(tokens))
	}
	var body string
	for name, token := range tokens {
		got := s.withAuthorization("Bearer " + token)
		wantProblem(t, got, http.StatusUnauthorized, "UNAUTHENTICATED")
		if got.header.Get("WWW-Authenticate") != `Bearer error="invalid_token"` {
			t.Fatal(name, got.header)
		}
		same := requestIDs.ReplaceAllString(string(got.body), "")
		if body == "" {
			body = same
		}
		if same != body {
			t.Errorf("%s: %s differs from %s", name, same, body)
		}
		if after := s.withAuthorization("Bearer " + good); after.status != http.StatusOK {
			t.Fatalf("a good token after %q: %d", name, after.status)
		}
	}
	for _, header := range []string{"", "Basic " + good, good, "Bearer", "Bearer  " + good, "Token " + good} {
		if got := s.withAuthorization(header); got.status != http.StatusUnauthorized {
			t.Errorf("%.12q: %d", header, got.status)
		}
	}
}

func (s *sandbox) withAuthorization(header string) answer {
	request := s.request(http.MethodGet, "/v1/files/stat?path=.", "")
	request.Header["Authorization"] = []string{strings.NewReplacer("\x00", "").Replace(header)}
	if header == "" {
		request.Header["Authorization"] = nil
	}
	return s.do(request)
}

func TestGoodTokensInTheirForms(t *testing.T) {
	s := start(t)
	now := time.Now().Unix()
	for name, token := range map[string]string{
		"audience in an array": s.forge(goodHeader, s.payload(jwt.MapClaims{"aud": []string{"urn:sandboxer:boxd:" + sandboxID}})),
		"the longest life":     s.forge(goodHeader, s.payload(jwt.MapClaims{"iat": now, "exp": now + 900})),
		"a later epoch":        s.forge(goodHeader, s.payload(jwt.MapClaims{"epoch": 9})),
		"a clock a bit ahead":  s.forge(goodHeader, s.payload(jwt.MapClaims{"iat": now + 3, "nbf": now + 3})),
		"further claims":       s.forge(goodHeader, s.payload(jwt.MapClaims{"sid": "ssn_x", "act": map[string]string{"sub": "a"}})),
	} {
		for range 2 { // the second time from the cache
			if got := s.withAuthorization("bearer " + token); got.status != http.StatusOK {
				t.Errorf("%s: %d %s", name, got.status, got.body)
			}
		}
	}
}

func TestTokenIsRefusedOnceItExpires(t *testing.T) {
	s := start(t)
	token := ""
	for life := int64(2); ; life += 2 { // a slow machine needs more time to use it
		claims := s.claims("fs_read")
		claims["exp"] = time.Now().Unix() + life
		token = s.sign(claims)
		if got := s.withAuthorization("Bearer " + token); got.status == http.StatusOK {
			break
		} else if life > 10 {
			t.Fatal(got.status)
		}
	}
	eventually(t, "the cached token expires", func() bool { return s.withAuthorization("Bearer "+token).status == http.StatusUnauthorized })
}

func TestMissingCapabilityIsNamed(t *testing.T) {
	s := start(t)
	for capability, request := range map[string]*http.Request{
		"exec":     s.request("POST", "/v1/exec", `{"command":["true"]}`),
		"fs_write": s.request("POST", "/v1/files/upload?path=x", ""),
		"fs_read":  s.request("GET", "/v1/files/list", ""),
		"admin":    s.request("POST", "/v1/control/configure", `{}`),
	} {
		others := strings.ReplaceAll("exec shell fs_read fs_write process port admin", capability, "")
		request.Header.Set("Authorization", "Bearer "+s.token(others))
		got := s.do(request)
		wantProblem(t, got, http.StatusForbidden, "CAPABILITY_DENIED")
		if !strings.Contains(string(got.body), capability) {
			t.Errorf("%s is not named: %s", capability, got.body)
		}
	}
}
