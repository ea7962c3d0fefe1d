package dev.sandboxer.cli.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.client.Sandboxes;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A token and the addresses of one sandbox's dataplane, for a shell or a program. */
@Command(
    name = "access",
    description = "Print the addresses of a sandbox's dataplane and a short-lived token.",
    footer = {
      "",
      "For a shell: eval \"$(sandboxer access SANDBOX --env)\"",
      "curl -H \"Authorization: Bearer $SANDBOXER_DP_TOKEN\" \"$SANDBOXER_DP_URL/files/list?path=.\""
    })
public final class AccessVerb extends Verb {
  @Parameters(paramLabel = "SANDBOX", description = "Its id, the beginning of one, or its name.")
  private String id = "";

  @Option(
      names = "--env",
      description = "Print lines that a shell can evaluate (this is the default).")
  private boolean env;

  public AccessVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    if (env && json()) {
      throw Failure.usage("either --env or --json, not both");
    }
    JsonNode grant = new Sandboxes(context().api()).access(context().sandbox(id));
    if (json()) {
      print(grant);
    } else {
      variables(grant)
          .forEach(
              (name, value) -> context().console().result("export " + name + "=" + quoted(value)));
    }
    context()
        .console()
        .tell(
            "warning: this holds a token that gives full use of the sandbox until "
                + dev.sandboxer.cli.terminal.Escapes.visible(grant.path("expires_at").asText())
                + ": keep it out of logs and shared terminals");
    return ExitCode.OK;
  }

  private static Map<String, String> variables(JsonNode grant) {
    Map<String, String> variables = new LinkedHashMap<>();
    variables.put("SANDBOXER_SANDBOX", grant.path("sandbox_id").asText());
    variables.put("SANDBOXER_DP_URL", grant.path("http_base_url").asText());
    variables.put("SANDBOXER_DP_WS_URL", grant.path("ws_base_url").asText());
    variables.put("SANDBOXER_DP_TOKEN", grant.path("token").asText());
    variables.put("SANDBOXER_DP_EXPIRES_AT", grant.path("expires_at").asText());
    return variables;
  }

  /** Whatever the value holds, a POSIX shell reads exactly it. */
  private static String quoted(String value) {
    return "'" + value.replace("'", "'\\''") + "'";
  }
}
