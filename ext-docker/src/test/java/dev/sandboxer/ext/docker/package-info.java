/** Tests of the Docker extension against a real Engine. */
@NullMarked
package dev.sandboxer.ext.docker;

import org.jspecify.annotations.NullMarked;
