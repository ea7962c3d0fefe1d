/** A backend whose calls fail, hang, come late or happen twice, to be dropped in as a jar. */
@NullMarked
package dev.sandboxer.testing.faulty;

import org.jspecify.annotations.NullMarked;
