package dev.sandboxer.platform.api.pipeline;

import dev.sandboxer.platform.api.Body;
import dev.sandboxer.platform.api.control.SandboxFields;
import dev.sandboxer.platform.mount.MountRules;
import dev.sandboxer.platform.pipeline.McpServer;
import dev.sandboxer.platform.pipeline.McpServer.Sharing;
import dev.sandboxer.spi.Mount;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads {@code mcp_servers} of a pipeline. */
final class McpServerFields {

  private static final int MOST_ARGS = 256;
  private static final Pattern TEXT = Pattern.compile("(?s)[^\\x00]{1,4096}");
  private static final Pattern ARG = Pattern.compile("(?s)[^\\x00]{0,4096}");
  private static final Pattern SHARING = Pattern.compile("shared|owned");
  private static final long LONGEST_START = 600;

  private McpServerFields() {}

  /**
   * Reads all.
   *
   * @param mounts that the servers' box has without them; their package roots are added
   */
  static List<McpServer> read(Body body, List<Mount> mounts) {
    List<McpServer> servers = new ArrayList<>();
    for (Body one : body.optionalObjects("mcp_servers", MountRules.MOST)) {
      McpServer server = server(one);
      if (servers.stream().anyMatch(other -> other.name().equals(server.name()))) {
        throw one.invalid("name", "is the name of another MCP server too");
      }
      PipelineBody.add(one, server.mount(), mounts);
      servers.add(server);
    }
    return servers;
  }

  private static McpServer server(Body body) {
    body.only("name", "command", "args", "env", "package_root", "mode", "sharing", "start_seconds");
    List<String> command = new ArrayList<>();
    command.add(body.text("command", TEXT, "a program, 1 to 4096 characters without NUL"));
    body.optionalList("args", ARG, "texts without NUL", MOST_ARGS).ifPresent(command::addAll);
    Optional<String> root =
        body.optionalText("package_root", PipelineBody.PATH, "a folder of the host")
            .map(path -> PipelineBody.source(body, path));
    return new McpServer(
        body.text("name", McpServer.NAME, "1 to 48 of A-Za-z0-9_-, a letter or digit first"),
        command,
        root,
        PipelineBody.writable(body),
        body.optionalText("sharing", SHARING, "shared or owned")
            .map(text -> Sharing.valueOf(text.toUpperCase(Locale.ROOT)))
            .orElse(Sharing.SHARED),
        body.optionalNumber("start_seconds", 1, LONGEST_START),
        SandboxFields.env(body));
  }
}
