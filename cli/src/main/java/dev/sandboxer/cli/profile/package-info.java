/** Verbs for people who write profiles. */
@NullMarked
package dev.sandboxer.cli.profile;

import org.jspecify.annotations.NullMarked;
