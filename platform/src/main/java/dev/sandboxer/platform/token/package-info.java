/**
 * Tokens: signing keys, minting, checking. Client tokens open the dataplane at the relay; relay
 * tokens open boxd for seconds and one capability.
 */
@NullMarked
package dev.sandboxer.platform.token;

import org.jspecify.annotations.NullMarked;
