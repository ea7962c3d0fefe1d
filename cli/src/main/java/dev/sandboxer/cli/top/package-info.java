/** What a sandbox uses. */
@NullMarked
package dev.sandboxer.cli.top;

import org.jspecify.annotations.NullMarked;
