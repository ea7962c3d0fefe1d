/** The verb inspect: all that is known of one sandbox, for a person. */
@NullMarked
package dev.sandboxer.cli.inspect;

import org.jspecify.annotations.NullMarked;
