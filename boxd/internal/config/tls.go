package config

import (
	"crypto/tls"
	"fmt"
	"net"
)

// TLS is what boxd shows to those who connect, both in PEM. The platform pins the certificate's key; its names and dates do not count.
type TLS struct {
	Certificate string `json:"certificate"`
	Key         string `json:"key"`

	loaded *tls.Config
}

func (t *TLS) load() error {
	if t == nil {
		return nil
	}
	pair, err := tls.X509KeyPair([]byte(t.Certificate), []byte(t.Key))
	if err != nil {
		return fmt.Errorf("tls: %w", err) // names neither bytes of the key nor of the certificate
	}
	t.loaded = &tls.Config{
		Certificates:           []tls.Certificate{pair},
		MinVersion:             tls.VersionTLS13,
		SessionTicketsDisabled: true, // a resumed connection would not prove again who is here
	}
	return nil
}

// Server makes a plain connection one of TLS, or leaves it as it is where there is no TLS. The handshake comes with its first use.
func (t *TLS) Server() func(net.Conn) net.Conn {
	if t == nil {
		return func(conn net.Conn) net.Conn { return conn }
	}
	return func(conn net.Conn) net.Conn { return tls.Server(conn, t.loaded) }
}
