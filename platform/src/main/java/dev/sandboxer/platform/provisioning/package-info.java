/**
 * From a recorded sandbox to a ready one and back to nothing: attempts, claims, clean-up, recovery.
 */
@NullMarked
package dev.sandboxer.platform.provisioning;

import org.jspecify.annotations.NullMarked;
