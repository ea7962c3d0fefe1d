/** {@code sandboxer pipeline}: what the boxes of a chat platform's pipelines are made of. */
@NullMarked
package dev.sandboxer.cli.pipeline;

import org.jspecify.annotations.NullMarked;
