# A server of Vault for the tests of stores of secrets: its own core in memory, built from Go's modules. Sourced by ./sandboxer.
# shellcheck shell=bash

# Puts a vault-server on the PATH; else fails with fetch_problem and fetch_remedy. Go's cache makes the second build a matter of a second.
get_vault() {
  local tool_log=$home/logs/vault.log folder=$home/tools/vault
  mkdir -p "$folder"
  fetch_remedy='let Go reach its module proxy'
  # Not `mod download`: that fetches what only other parts of Vault need.
  again "a server of Vault" logged go -C "$top/tools/vault-server" build -trimpath -buildvcs=false -ldflags '-s -w' -o "$folder/vault-server" . ||
    { fetch_problem="it could not be built (log: $tool_log)" && return 1; }
  PATH=$folder:$PATH
}
