/**
 * Sandboxes as nsjail jails on the platform's own machine, over the host's programs.
 *
 * <p>All that touches the kernel is done by the launcher, a mode of the boxd binary: {@code boxd
 * jail launch} makes a jail and leaves a state file in the jail's folder, {@code boxd jail kill}
 * ends it and removes the folder. This package writes what to make, reads state files and maps both
 * to the extension interface. A jail's folder is named by its identity and is the one place where
 * it is known, so it is found again after any crash.
 */
@NullMarked
package dev.sandboxer.ext.nsjail;

import org.jspecify.annotations.NullMarked;
