package dev.sandboxer.cli.admin;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.terminal.Escapes;
import picocli.CommandLine.Command;

/** Which platform is called, and as whom. */
@Command(name = "whoami", description = "Show which platform is called, with which key.")
public final class WhoamiVerb extends Verb {
  public WhoamiVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    JsonNode key = context().api().get("/v1/keys/self");
    if (json()) {
      print(key);
      return ExitCode.OK;
    }
    line("platform", context().api().endpoint().base().toString());
    line("key", key.path("name").asText() + " (" + key.path("id").asText() + ")");
    line("role", key.path("role").asText());
    line("tenant", key.path("tenant").asText());
    for (String limit : new String[] {"user", "capabilities", "scopes"}) {
      if (key.hasNonNull(limit)) {
        line(limit, key.path(limit).isTextual() ? key.path(limit).asText() : list(key.path(limit)));
      }
    }
    return ExitCode.OK;
  }

  private static String list(JsonNode texts) {
    return String.join(", ", texts.valueStream().map(JsonNode::asText).toList());
  }

  private void line(String title, String value) {
    context().console().result(Escapes.visible("%-13s %s".formatted(title, value)));
  }
}
