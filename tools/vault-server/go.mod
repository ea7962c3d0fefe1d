// Vault 1.3 is the last release whose core does not bring along the libraries of every cloud: it builds in a minute. What the tests need of it
// (KV version 2, AppRole, Kubernetes, response wrapping) has the same API in later ones, and in OpenBao.
module dev.sandboxer/vault-server

go 1.16

// Two names of one module; Go wants one of them.
replace git.apache.org/thrift.git => github.com/apache/thrift v0.0.0-20180902110319-2566ecd5d999

require (
	github.com/hashicorp/go-hclog v0.9.2
	github.com/hashicorp/vault-plugin-auth-kubernetes v0.5.3
	github.com/hashicorp/vault-plugin-secrets-kv v0.5.3
	github.com/hashicorp/vault/sdk v0.1.14-0.20200702105825-83f81919384e
)

require github.com/hashicorp/vault v1.3.10
