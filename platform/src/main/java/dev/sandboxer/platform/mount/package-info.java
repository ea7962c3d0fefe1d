/**
 * Which folders of a host may be mounted into whose sandboxes, and whether what was mounted is what
 * was checked.
 */
@NullMarked
package dev.sandboxer.platform.mount;

import org.jspecify.annotations.NullMarked;
