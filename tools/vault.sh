# A server of Vault for the tests of stores of secrets: its own core in memory, built from Go's modules. Sourced by ./sandboxer.
# shellcheck shell=bash

# Puts a vault-server on the PATH; else fails with fetch_problem and fetch_remedy. Go's cache makes the second build a matter of a second.
get_vault() {
  local tool_log=$home/logs/vault.log folder=$home/tools/vault
  fetch_remedy='let Go reach its module proxy, and see the log'
  again "Vault's modules" logged go -C "$top/tools/vault-server" mod download ||
    { fetch_problem="Go could not download what Vault is built from (log: $tool_log)" && return 1; }
  logged go -C "$top/tools/vault-server" build -trimpath -buildvcs=false -ldflags '-s -w' -o "$folder/vault-server" . ||
    { fetch_problem="Vault could not be built (log: $tool_log)" && return 1; }
  PATH=$folder:$PATH
}
