/** What stands on a machine of a sandbox, from its making to its removal. */
@NullMarked
package dev.sandboxer.ext.compose.life;

import org.jspecify.annotations.NullMarked;
