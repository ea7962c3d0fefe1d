/** YAML that knows where each value stands, so that an error names file, line and field. */
@NullMarked
package dev.sandboxer.yaml;

import org.jspecify.annotations.NullMarked;
