/** The verb extension: what an extension's author needs before a platform loads it. */
@NullMarked
package dev.sandboxer.cli.extension;

import org.jspecify.annotations.NullMarked;
