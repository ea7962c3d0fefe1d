/**
 * Sinks that the operator sets up: kinds from folders of jars, each sink from a small YAML file.
 */
@NullMarked
package dev.sandboxer.platform.sink;

import org.jspecify.annotations.NullMarked;
