package dev.sandboxer.cli.inspect;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.client.Api;
import dev.sandboxer.cli.client.ApiFailure;
import dev.sandboxer.cli.client.Pages;
import dev.sandboxer.cli.client.Sandboxes;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** All that is known of one sandbox. */
@Command(
    name = "inspect",
    description = "Show a sandbox: state, backend, limits, times, history, and why it failed.")
public final class InspectVerb extends Verb {
  /** A platform without the route, or a key that may not: both leave the rest of the page. */
  private static final Set<String> NOT_TO_HAVE =
      Set.of("NOT_FOUND", "METHOD_NOT_ALLOWED", "FORBIDDEN");

  @Parameters(paramLabel = "SANDBOX", description = "Its id, the beginning of one, or its name.")
  private String id = "";

  public InspectVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    JsonNode sandbox = new Sandboxes(context().api()).get(context().sandbox(id));
    if (json()) {
      print(sandbox);
      return ExitCode.OK;
    }
    Page page =
        new Page(
            sandbox, profile(sandbox), events(sandbox), context().clock().instant(), palette());
    page.lines().forEach(context().console()::result);
    return ExitCode.OK;
  }

  private JsonNode profile(JsonNode sandbox) throws InterruptedException {
    Api api = context().api();
    String name = sandbox.path("profile_id").asText();
    try {
      return api.get("/v1/profiles/" + name + "@" + sandbox.path("profile_version").asInt());
    } catch (ApiFailure e) {
      return orNothing(e, JsonNodeFactory.instance.missingNode());
    }
  }

  private List<JsonNode> events(JsonNode sandbox) throws InterruptedException {
    try {
      return new Pages(context().api()).all("/v1/sandboxes/" + Sandboxes.id(sandbox) + "/events");
    } catch (ApiFailure e) {
      return orNothing(e, List.of());
    }
  }

  private static <T> T orNothing(ApiFailure failure, T nothing) {
    if (NOT_TO_HAVE.contains(failure.code())) {
      return nothing;
    }
    throw failure;
  }
}
