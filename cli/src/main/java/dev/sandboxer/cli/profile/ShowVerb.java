package dev.sandboxer.cli.profile;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.terminal.Escapes;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Prints a profile with everything that applies. */
@Command(
    name = "show",
    description = "Print a profile as YAML: what it extends merged, with the defaults filled in.")
final class ShowVerb extends Verb {
  @Parameters(paramLabel = "NAME", description = "The profile, optionally with @version.")
  private String name = "";

  ShowVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    JsonNode profile =
        context().api().get("/v1/profiles/" + URLEncoder.encode(name, StandardCharsets.UTF_8));
    if (json()) {
      print(profile);
    } else {
      profile
          .path("yaml")
          .asText()
          .lines()
          .forEach(line -> context().console().result(Escapes.visible(line)));
    }
    return ExitCode.OK;
  }
}
