module dev.sandboxer/boxd

go 1.26.0

require (
	github.com/coder/websocket v1.8.15
	github.com/golang-jwt/jwt/v5 v5.3.1
)

require golang.org/x/sys v0.49.0
