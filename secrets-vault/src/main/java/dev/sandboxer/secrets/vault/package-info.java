/** Secrets of a server of Vault or OpenBao, from its KV engine, version 2. */
@NullMarked
package dev.sandboxer.secrets.vault;

import org.jspecify.annotations.NullMarked;
