/** {@code /v1/pipelines/{id}/mcp/{server}}: MCP over Streamable HTTP. */
@NullMarked
package dev.sandboxer.platform.api.mcp;

import org.jspecify.annotations.NullMarked;
