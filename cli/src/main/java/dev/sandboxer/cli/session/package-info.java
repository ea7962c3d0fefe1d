/** Sessions: threads bound to sandboxes. */
@NullMarked
package dev.sandboxer.cli.session;

import org.jspecify.annotations.NullMarked;
