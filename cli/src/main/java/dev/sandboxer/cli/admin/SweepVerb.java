package dev.sandboxer.cli.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.terminal.Escapes;
import dev.sandboxer.cli.terminal.Table;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Backends against the records, now. */
@Command(
    name = "sweep",
    description =
        "Compare what backends have with the records, and wait for the report; removes objects that"
            + " have had no record for a while.")
public final class SweepVerb extends Verb {
  private static final String PATH = "/v1/sweeps";
  private static final long LOOK_MILLIS = 500;
  private static final long MOST_LOOKS = 2 * 15 * 60;

  @Option(names = "--dry-run", description = "Change nothing.")
  private boolean dryRun;

  @Option(names = "--host", paramLabel = "HOST", description = "This host alone.")
  private @Nullable String host;

  @Option(
      names = "--confirm",
      description = "Remove also more than five objects and a tenth of a host's; needs --host.")
  private boolean confirm;

  @Option(
      names = "--accept-restore",
      description =
          "Say that this home and this database belong together, so that sweeps act again; for"
              + " administrators.")
  private boolean acceptRestore;

  public SweepVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    if (confirm && host == null) {
      throw Failure.usage("--confirm needs --host");
    }
    if (confirm && dryRun) {
      throw Failure.usage("--confirm is no --dry-run");
    }
    JsonNode sweep = awaited(context().api().post(PATH, body(), Map.of()).body());
    if (json()) {
      print(sweep);
    } else {
      show(sweep);
    }
    return complete(sweep) ? ExitCode.OK : ExitCode.FAILED;
  }

  private ObjectNode body() {
    ObjectNode body = context().json().createObjectNode();
    if (host != null) {
      body.put("host", host);
    }
    yes(body, "dry_run", dryRun);
    yes(body, "confirm", confirm);
    yes(body, "accept_restore", acceptRestore);
    return body;
  }

  private static void yes(ObjectNode body, String name, boolean value) {
    if (value) {
      body.put(name, true);
    }
  }

  private JsonNode awaited(JsonNode ordered) throws InterruptedException {
    String id = ordered.path("id").asText();
    if (!id.matches("swp_[a-z0-9]{1,64}")) {
      throw Failure.sandboxer("the platform names no sweep");
    }
    JsonNode sweep = ordered;
    for (long look = 0; !sweep.path("state").asText().equals("done"); look++) {
      if (look == MOST_LOOKS) {
        throw Failure.sandboxer(
            "sweep " + id + " is not done after 15 minutes; read it at GET " + PATH + "/" + id);
      }
      Thread.sleep(LOOK_MILLIS);
      sweep = context().api().get(PATH + "/" + id);
    }
    return sweep;
  }

  private void show(JsonNode sweep) {
    Table table =
        new Table(
            "BACKEND", "HOST", "LISTED", "RECORDED", "SUSPECTS", "REMOVED", "MISSING", "FAILED");
    sweep.path("places").forEach(place -> table.add(row(place)));
    print(table);
    sweep.path("places").forEach(this::remark);
  }

  private static String[] row(JsonNode place) {
    JsonNode result = place.path("result");
    boolean judged = place.path("state").asText().equals("judged");
    return new String[] {
      place.path("extension").asText(),
      place.path("host").asText(),
      judged ? result.path("listed").asText() : "-",
      judged ? result.path("recorded").asText() : "-",
      judged ? result.path("suspects").asText() : "-",
      judged ? result.path("removed").asText() : "-",
      judged ? result.path("missing").asText() : "-",
      judged ? result.path("failed_records").asText() : "-"
    };
  }

  /** Says on standard error what a row has no room for. */
  private void remark(JsonNode place) {
    JsonNode result = place.path("result");
    for (String why : new String[] {"reason", "refused"}) {
      if (result.path(why).isTextual()) {
        explain(place, result.path(why).asText());
      }
    }
    result
        .path("findings")
        .forEach(
            one ->
                explain(
                    place,
                    "%s: %s, generation %s, attempt %s, %s"
                        .formatted(
                            one.path("finding").asText(),
                            one.path("sandbox_id").asText(),
                            one.path("generation").asText(),
                            one.path("attempt").asText(),
                            one.path("provider_uid").asText())));
  }

  private void explain(JsonNode place, String what) {
    String line =
        "%s on %s: %s"
            .formatted(place.path("extension").asText(), place.path("host").asText(), what);
    context().console().tell(Escapes.visible(line));
  }

  /** Whether each place was judged and nothing was refused. */
  private static boolean complete(JsonNode sweep) {
    for (JsonNode place : sweep.path("places")) {
      if (!place.path("state").asText().equals("judged")
          || place.path("result").path("refused").isTextual()) {
        return false;
      }
    }
    return true;
  }
}
