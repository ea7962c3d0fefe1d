/** {@code /v1/pipelines}. */
@NullMarked
package dev.sandboxer.platform.api.pipeline;

import org.jspecify.annotations.NullMarked;
