// Command vault-server serves Vault's own core, in memory, with what the tests need of it: KV
// version 2, AppRole and Kubernetes. It starts uninitialised; the tests initialise it by its API.
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"flag"
	"log"
	"math/big"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/hashicorp/go-hclog"
	kubernetes "github.com/hashicorp/vault-plugin-auth-kubernetes"
	kv "github.com/hashicorp/vault-plugin-secrets-kv"
	"github.com/hashicorp/vault/builtin/credential/approle"
	vaulthttp "github.com/hashicorp/vault/http"
	"github.com/hashicorp/vault/sdk/helper/consts"
	"github.com/hashicorp/vault/sdk/logical"
	"github.com/hashicorp/vault/sdk/physical/inmem"
	"github.com/hashicorp/vault/vault"
)

// builtIn is the catalog of plugins that are part of the program.
type builtIn map[consts.PluginType]map[string]logical.Factory

func (b builtIn) Contains(name string, kind consts.PluginType) bool {
	_, found := b[kind][name]
	return found
}

func (b builtIn) Get(name string, kind consts.PluginType) (func() (interface{}, error), bool) {
	factory, found := b[kind][name]
	return func() (interface{}, error) { return factory, nil }, found
}

func (b builtIn) Keys(kind consts.PluginType) []string {
	var names []string
	for name := range b[kind] {
		names = append(names, name)
	}
	return names
}

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "address")
	certificate := flag.String("tls", "", "file to write the server's certificate to; plain HTTP if empty")
	flag.Parse()
	if err := serve(*listen, *certificate); err != nil {
		log.Fatal(err)
	}
}

func serve(address, certificate string) error {
	core, err := newCore()
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	if certificate != "" {
		pair, err := newCertificate(certificate)
		if err != nil {
			return err
		}
		listener = tls.NewListener(listener, &tls.Config{Certificates: []tls.Certificate{pair}})
	}
	return http.Serve(listener, vaulthttp.Handler(&vault.HandlerProperties{
		Core: core, MaxRequestSize: 32 << 20, MaxRequestDuration: time.Minute}))
}

func newCore() (*vault.Core, error) {
	logger := hclog.New(&hclog.LoggerOptions{Level: hclog.Warn, Output: os.Stderr})
	storage, err := inmem.NewInmem(nil, logger)
	if err != nil {
		return nil, err
	}
	secrets := map[string]logical.Factory{"kv": kv.Factory}
	auth := map[string]logical.Factory{"approle": approle.Factory, "kubernetes": kubernetes.Factory}
	return vault.NewCore(&vault.CoreConfig{
		Physical:           storage,
		Logger:             logger,
		DisableMlock:       true,
		LogicalBackends:    secrets,
		CredentialBackends: auth,
		BuiltinRegistry:    builtIn{consts.PluginTypeSecrets: secrets, consts.PluginTypeCredential: auth},
	})
}

// newCertificate makes one for this machine, signed by itself.
func newCertificate(file string) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "vault-server"},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(24 * time.Hour),
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA:                  true,
		BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return tls.Certificate{}, err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, os.WriteFile(file, text, 0o600)
}
