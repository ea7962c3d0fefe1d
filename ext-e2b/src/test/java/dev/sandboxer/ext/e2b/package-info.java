/** Tests of the E2B extension against a counterpart of the cloud, over TLS. */
@NullMarked
package dev.sandboxer.ext.e2b;

import org.jspecify.annotations.NullMarked;
