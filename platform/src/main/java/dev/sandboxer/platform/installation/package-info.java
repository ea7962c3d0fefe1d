/** What makes this installation itself: its home folder, its id, its master key. */
@NullMarked
package dev.sandboxer.platform.installation;

import org.jspecify.annotations.NullMarked;
