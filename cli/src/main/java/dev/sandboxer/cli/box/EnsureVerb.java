package dev.sandboxer.cli.box;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.TimeSpan;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.client.Api;
import dev.sandboxer.cli.client.ApiFailure;
import dev.sandboxer.cli.sandbox.CreateOptions;
import dev.sandboxer.cli.sandbox.StoredVariables;
import dev.sandboxer.cli.terminal.Escapes;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Gets or makes the box of a scope. */
@Command(
    name = "ensure",
    description = "Get the box of a scope, or make it, and print its id.",
    footer = {
      "",
      "For example: box=$(sandboxer box ensure --var launcher_type=group --var launcher_id=42)"
    })
final class EnsureVerb extends Verb {
  private static final int NOT_READY_YET = 202;

  @Mixin private final ScopeOptions scope = new ScopeOptions();

  @Mixin private final CreateOptions options = new CreateOptions();

  @Mixin private final StoredVariables env = new StoredVariables();

  @Option(
      names = "--idle",
      paramLabel = "TIME",
      converter = TimeSpan.class,
      description = "End its sandbox when nobody has used it for so long (default: 5m).")
  private @Nullable Duration idle;

  @Option(names = "--persistent", description = "Never end its sandbox for being idle.")
  private boolean persistent;

  @Option(
      names = "--recreate",
      description =
          "Recreate a living box that differs from the request; without this option that is an"
              + " error.")
  private boolean recreate;

  @Option(
      names = "--wait",
      paramLabel = "TIME",
      converter = TimeSpan.class,
      defaultValue = "60s",
      description = "How long to wait until it is ready, up to 10m (default: ${DEFAULT-VALUE}).")
  private Duration wait = Duration.ofSeconds(60);

  @Option(names = "--no-wait", description = "Print its id at once, ready or not.")
  private boolean noWait;

  EnsureVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    try {
      JsonNode box = ensured();
      if (json()) {
        print(box);
      } else {
        show(box);
      }
      return ExitCode.OK;
    } catch (ApiFailure e) {
      if (json() || !e.differences().isArray()) {
        throw e;
      }
      return conflict(e);
    }
  }

  private JsonNode ensured() throws InterruptedException {
    Api.Reply reply =
        context()
            .api()
            .waiting(wait)
            .post(
                BoxPath.ALL,
                body(),
                noWait ? Map.of() : Map.of("Prefer", "wait=" + wait.toSeconds()));
    String id = BoxPath.id(reply.body());
    if (reply.status() == NOT_READY_YET && !noWait) {
      throw Failure.sandboxer(
          "%s is %s, and was not ready within %d s; the same call goes on waiting"
              .formatted(id, reply.body().path("state").asText(), wait.toSeconds()));
    }
    return reply.body();
  }

  private ObjectNode body() {
    ObjectNode body = options.body(context().json());
    scope.putInto(body);
    env.putInto(body);
    if (idle != null) {
      body.put("idle_seconds", idle.toSeconds());
    }
    if (persistent) {
      body.put("persistent", true);
    }
    if (recreate) {
      body.put("on_change", "recreate");
    }
    return body;
  }

  /** The id alone is the result, for scripts; the rest stands beside it. */
  private void show(JsonNode box) {
    context().console().result(BoxPath.id(box));
    tell(
        "%s: %s, sandbox %s is %s"
            .formatted(
                box.path("outcome").asText(),
                box.path("scope").asText(),
                box.path("sandbox_id").asText(),
                box.path("state").asText()));
    Lost.lines(box).forEach(this::tell);
  }

  private int conflict(ApiFailure refusal) {
    context().console().error(refusal.text());
    Differences.lines(refusal.differences()).forEach(this::tell);
    context()
        .console()
        .tell("hint: --recreate makes the box as requested; its processes and files are lost");
    return refusal.exitCode();
  }

  private void tell(String line) {
    context().console().tell(Escapes.visible(line));
  }
}
