/**
 * Where secrets are read: an interface for plug-ins. A kind of store is a folder of jars with one
 * {@link dev.sandboxer.spi.secret.SecretProvider} that {@link java.util.ServiceLoader} finds; class
 * loader, threads and deadline are as for extensions (promises 1 to 3 of {@link
 * dev.sandboxer.spi}).
 *
 * <ol>
 *   <li><b>Only what was granted.</b> The platform asks only for paths that the operator has
 *       granted to the tenant.
 *   <li><b>Seconds.</b> A value that was read is used for a few seconds without being read again.
 *       It is never stored and never logged; a store keeps to that too.
 *   <li><b>Messages.</b> What a {@link dev.sandboxer.spi.secret.SecretException} says is shown to
 *       callers, and to programs in sandboxes: neither a secret nor an address of the operator's
 *       network is in it.
 * </ol>
 */
@NullMarked
package dev.sandboxer.spi.secret;

import org.jspecify.annotations.NullMarked;
