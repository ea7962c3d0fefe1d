/**
 * The way out of sandboxes, which have no network: the proxy that their boxd forwards programs to.
 * It allows what the profile allows, resolves names itself, and calls the address that it has
 * checked.
 */
@NullMarked
package dev.sandboxer.platform.egress;

import org.jspecify.annotations.NullMarked;
