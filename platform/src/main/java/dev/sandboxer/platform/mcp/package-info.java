/**
 * MCP servers of pipelines: each pipeline that has some gets a box for them, made at once and kept,
 * and clients reach each server over Streamable HTTP.
 */
@NullMarked
package dev.sandboxer.platform.mcp;

import org.jspecify.annotations.NullMarked;
