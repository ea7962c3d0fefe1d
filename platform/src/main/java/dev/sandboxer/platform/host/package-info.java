/** Nodes (running platform processes) and hosts (placement targets). */
@NullMarked
package dev.sandboxer.platform.host;

import org.jspecify.annotations.NullMarked;
