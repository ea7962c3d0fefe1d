/** {@code /v1/archives}: what sandboxes are made of, uploaded. */
@NullMarked
package dev.sandboxer.platform.api.archive;

import org.jspecify.annotations.NullMarked;
