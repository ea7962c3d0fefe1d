/** What E2B says over the wire: its control plane, and envd inside each sandbox. */
@NullMarked
package dev.sandboxer.ext.e2b.cloud;

import org.jspecify.annotations.NullMarked;
