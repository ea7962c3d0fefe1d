package dev.sandboxer.cli.box;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.Failure;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The scope of a box: a template with its variables, or an id of the caller's own. */
final class ScopeOptions {
  @Option(
      names = "--template",
      paramLabel = "TEMPLATE",
      description =
          "Which variables tell boxes apart, such as {sender_id} (default:"
              + " {launcher_type}_{launcher_id}).")
  private @Nullable String template;

  @Option(
      names = "--var",
      paramLabel = "NAME=VALUE",
      description = "The value of a variable; may be repeated.")
  private Map<String, String> variables = Map.of();

  @Option(
      names = "--session-id",
      paramLabel = "ID",
      description = "Instead of both: an id of your own, any text of up to 256 characters.")
  private @Nullable String sessionId;

  void putInto(ObjectNode body) {
    if (sessionId != null) {
      if (template != null || !variables.isEmpty()) {
        throw Failure.usage("--session-id goes neither with --template nor with --var");
      }
      body.put("session_id", sessionId);
      return;
    }
    if (template != null) {
      body.put("template", template);
    }
    variables.forEach(body.putObject("variables")::put);
  }
}
