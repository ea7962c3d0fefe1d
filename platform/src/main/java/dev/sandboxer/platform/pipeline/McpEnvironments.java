package dev.sandboxer.platform.pipeline;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The environments of all MCP servers of a pipeline as one set of texts, {@code server/NAME}. */
final class McpEnvironments {

  private McpEnvironments() {}

  static Map<String, String> together(List<McpServer> servers) {
    Map<String, String> together = new HashMap<>();
    servers.forEach(
        server ->
            server.env().forEach((name, value) -> together.put(prefix(server) + name, value)));
    return together;
  }

  static Map<String, String> of(McpServer server, Map<String, String> together) {
    Map<String, String> own = new HashMap<>();
    together.forEach(
        (name, value) -> {
          if (name.startsWith(prefix(server))) {
            own.put(name.substring(prefix(server).length()), value);
          }
        });
    return own;
  }

  /** No name of a server has a slash. */
  private static String prefix(McpServer server) {
    return server.name() + "/";
  }
}
