module dev.sandboxer/boxd

go 1.26.0

require (
	github.com/coder/websocket v1.8.15
	github.com/golang-jwt/jwt/v5 v5.3.1
)

require (
	github.com/klauspost/compress v1.20.4
	github.com/opencontainers/go-digest v1.0.0
	github.com/opencontainers/image-spec v1.1.1
	golang.org/x/sys v0.49.0
	oras.land/oras-go/v2 v2.7.0
)

require golang.org/x/sync v0.24.0 // indirect
