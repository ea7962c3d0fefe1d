/** What the command line tells about itself: completion, references, suggestions for typos. */
@NullMarked
package dev.sandboxer.cli.help;

import org.jspecify.annotations.NullMarked;
