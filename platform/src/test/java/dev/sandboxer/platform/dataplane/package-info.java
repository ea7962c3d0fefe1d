/** Tests of the relay, against the real boxd and against hostile stand-ins on the wire. */
@NullMarked
package dev.sandboxer.platform.dataplane;

import org.jspecify.annotations.NullMarked;
