package dev.sandboxer.cli.host;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.terminal.Table;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Where sandboxes go, and why. */
@Command(name = "route", description = "Say where a sandbox would go, or why one is where it is.")
public final class RouteVerb extends Verb {
  private RouteVerb(Context context) {
    super(context);
  }

  /** The verb with its own verbs. */
  public static CommandLine create(Context context) {
    return new CommandLine(new RouteVerb(context))
        .addSubcommand("explain", new Explain(context))
        .addSubcommand("show", new Show(context));
  }

  @Override
  public Integer call() {
    throw Failure.usage("route needs one of: explain PROFILE, show SANDBOX");
  }

  abstract static class Shown extends Verb {
    Shown(Context context) {
      super(context);
    }

    Integer show(JsonNode route) {
      if (json()) {
        print(route);
        return ExitCode.OK;
      }
      Table table = new Table("RANK", "BACKEND", "HOST", "LOAD", "COST", "WHY");
      route.path("candidates").forEach(candidate -> table.add(taken(candidate)));
      for (JsonNode rejected : route.path("rejected")) {
        for (JsonNode reason : rejected.path("reasons")) {
          table.add(
              "-",
              rejected.path("extension").asText(),
              rejected.path("host").asText("-"),
              "-",
              "-",
              reason.path("profile_key").asText() + ": " + reason.path("message").asText());
        }
      }
      print(table);
      context().console().tell("ordered by " + route.path("strategy").asText());
      return ExitCode.OK;
    }

    private static String[] taken(JsonNode candidate) {
      JsonNode quote = candidate.path("quote");
      return new String[] {
        candidate.path("rank").asText(),
        candidate.path("extension").asText(),
        candidate.path("host").asText(),
        "%.0f %%".formatted(candidate.path("load").asDouble() * 100),
        quote.isObject()
            ? quote.path("amount").asText() + " " + quote.path("currency").asText()
            : "unknown",
        candidate.path("reason").asText()
      };
    }
  }

  /** Asks without creating. */
  @Command(
      name = "explain",
      description = "Show where a sandbox of a profile would go, and why not elsewhere.")
  static final class Explain extends Shown {
    @Parameters(paramLabel = "PROFILE", description = "The profile, optionally with @version.")
    private String profile = "";

    @Option(
        names = "--input",
        paramLabel = "K=V",
        description = "What the profile declares under inputs; may be repeated.")
    private Map<String, String> inputs = Map.of();

    Explain(Context context) {
      super(context);
    }

    @Override
    public Integer call() throws InterruptedException {
      ObjectNode body = context().json().createObjectNode().put("profile", profile);
      body.putObject("consumer").put("actor", "adm").put("project", "cli");
      inputs.forEach(body.withObject("/inputs")::put);
      return show(context().api().post("/v1/routes/explain", body, Map.of()).body());
    }
  }

  /** The stored decision. */
  @Command(name = "show", description = "Show why a sandbox is where it is.")
  static final class Show extends Shown {
    @Parameters(paramLabel = "SANDBOX", description = "Its id, the beginning of one, or its name.")
    private String id = "";

    Show(Context context) {
      super(context);
    }

    @Override
    public Integer call() throws InterruptedException {
      JsonNode route = context().api().get("/v1/sandboxes/" + context().sandbox(id) + "/route");
      Integer exit = show(route);
      if (!json()) {
        for (JsonNode attempt : route.path("attempts")) {
          String failure = attempt.at("/failure/message").asText("");
          context()
              .console()
              .tell(
                  "attempt %s on %s: %s%s"
                      .formatted(
                          attempt.path("number").asText(),
                          attempt.path("host").asText(),
                          attempt.path("phase").asText(),
                          failure.isEmpty() ? "" : ", " + failure));
        }
      }
      return exit;
    }
  }
}
