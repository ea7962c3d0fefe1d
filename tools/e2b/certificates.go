package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"sync/atomic"
	"time"
)

// certificates is an authority, written to a file, and what it signed for localhost and *.<domain>. Both can be replaced
// while connections are taken.
type certificates struct {
	file, domain string
	now          atomic.Pointer[tls.Certificate]
}

// config keeps no session tickets: each connection shows the certificate of its time.
func (c *certificates) config() *tls.Config {
	return &tls.Config{
		SessionTicketsDisabled: true,
		GetCertificate:         func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.now.Load(), nil },
	}
}

func (c *certificates) renew() error {
	host, _, err := net.SplitHostPort(c.domain)
	if err != nil {
		host = c.domain
	}
	if host == "" {
		host = "localhost"
	}
	ck, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	ca := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "fake-e2b CA"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(1, 0, 0), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	cb, err := x509.CreateCertificate(rand.Reader, ca, ca, ck.Public(), ck)
	if err != nil {
		return err
	}
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	leaf := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: host}, NotBefore: ca.NotBefore, NotAfter: ca.NotAfter, DNSNames: []string{"localhost", host, "*." + host}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	lb, err := x509.CreateCertificate(rand.Reader, leaf, ca, k.Public(), ck)
	if err != nil {
		return err
	}
	if err := os.WriteFile(c.file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cb}), 0o644); err != nil {
		return err
	}
	c.now.Store(&tls.Certificate{Certificate: [][]byte{lb, cb}, PrivateKey: k})
	return nil
}
