package dev.sandboxer.cli.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.client.Sandboxes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Destroys sandboxes and waits until their backends were seen clean. */
@Command(
    name = "rm",
    description = "Destroy sandboxes and wait until they are gone; their history stays.")
public final class RemoveVerb extends Verb {
  private static final Duration LIMIT = Duration.ofMinutes(2);

  @Parameters(
      arity = "0..*",
      paramLabel = "SANDBOX",
      description = "Their ids, beginnings of ids, or names.")
  private List<String> ids = new ArrayList<>();

  @Option(names = "--all", description = "Every sandbox that is there.")
  private boolean all;

  @Option(
      names = "--all-tenants",
      description = "With --all: those of every tenant as well; needs an admin key.")
  private boolean allTenants;

  public RemoveVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    if (all != ids.isEmpty()) {
      throw Failure.usage(
          all
              ? "either --all or ids, not both"
              : "which sandboxes? Give ids (see sandboxer ls) or --all");
    }
    if (allTenants && !all) {
      throw Failure.usage("--all-tenants goes with --all; an id says whose sandbox it is");
    }
    Sandboxes sandboxes = new Sandboxes(context().api());
    ArrayNode failed = context().json().createArrayNode();
    List<String> chosen = all ? everyId(sandboxes) : named(failed);
    List<String> accepted = new ArrayList<>();
    each(
        chosen,
        failed,
        id -> {
          sandboxes.delete(id);
          accepted.add(id);
        });
    List<String> gone = new ArrayList<>();
    each(
        accepted,
        failed,
        id -> {
          sandboxes.destroy(id, LIMIT);
          gone.add(id);
          tell(id + " destroyed");
        });
    if (json()) {
      print(document(gone, failed));
    }
    return failed.isEmpty() ? ExitCode.OK : ExitCode.SANDBOXER;
  }

  private List<String> named(ArrayNode failed) throws InterruptedException {
    List<String> named = new ArrayList<>();
    each(ids, failed, text -> named.add(context().sandbox(text)));
    return named;
  }

  private List<String> everyId(Sandboxes sandboxes) throws InterruptedException {
    List<String> every = new ArrayList<>();
    for (JsonNode sandbox : sandboxes.list(false, allTenants)) {
      every.add(Sandboxes.id(sandbox));
    }
    return every;
  }

  /** One that fails does not keep the others. */
  private void each(List<String> chosen, ArrayNode failed, Step step) throws InterruptedException {
    for (String id : chosen) {
      try {
        step.take(id);
      } catch (Failure e) {
        context().console().error(id + ": " + e.text());
        failed.addObject().put("sandbox_id", id).put("message", e.text());
      }
    }
  }

  private void tell(String line) {
    if (!json()) {
      context().console().result(line);
    }
  }

  private ObjectNode document(List<String> gone, ArrayNode failed) {
    ObjectNode document = context().json().createObjectNode();
    gone.forEach(document.putArray("destroyed")::add);
    document.set("failed", failed);
    return document;
  }

  private interface Step {
    void take(String id) throws InterruptedException;
  }
}
