/**
 * What a caller orders: a profile resolved with inputs, mounts and limits, the same for all doors.
 */
@NullMarked
package dev.sandboxer.platform.order;

import org.jspecify.annotations.NullMarked;
