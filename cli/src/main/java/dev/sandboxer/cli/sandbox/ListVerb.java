package dev.sandboxer.cli.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.client.Sandboxes;
import dev.sandboxer.cli.terminal.Spans;
import dev.sandboxer.cli.terminal.Table;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The sandboxes that there are. */
@Command(name = "ls", description = "List the sandboxes that are there.")
public final class ListVerb extends Verb {
  @Option(
      names = {"-a", "--all"},
      description = "Those that were destroyed as well.")
  private boolean all;

  @Option(
      names = "--all-tenants",
      description = "Those of every tenant as well; needs an admin key.")
  private boolean allTenants;

  @Option(
      names = {"-q", "--quiet"},
      description = "Only the ids.")
  private boolean quiet;

  @Option(
      names = {"-s", "--state"},
      split = ",",
      paramLabel = "STATE",
      description = "Only those in one of these states, such as ready,active.")
  private Set<String> states = Set.of();

  public ListVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    List<JsonNode> sandboxes =
        new Sandboxes(context().api())
            .list(all, allTenants).stream().filter(sandbox -> wanted(sandbox)).toList();
    if (json()) {
      ObjectNode document = context().json().createObjectNode();
      document.putArray("items").addAll(sandboxes);
      print(document);
    } else if (quiet) {
      sandboxes.forEach(sandbox -> context().console().result(Sandboxes.id(sandbox)));
    } else if (sandboxes.isEmpty() && context().console().streams().outTerminal()) {
      context().console().tell("No sandbox is there. To try one: sandboxer run -- echo hello");
    } else {
      print(table(sandboxes));
    }
    return ExitCode.OK;
  }

  private boolean wanted(JsonNode sandbox) {
    return states.isEmpty() || states.contains(sandbox.path("state").asText());
  }

  private Table table(List<JsonNode> sandboxes) {
    List<String> titles =
        new ArrayList<>(List.of("ID", "STATE", "PROFILE", "BACKEND", "PROJECT", "AGE", "ENDS IN"));
    if (allTenants) {
      titles.add("TENANT");
    }
    Table table = new Table(titles.toArray(String[]::new));
    sandboxes.forEach(sandbox -> table.add(row(sandbox)));
    return table;
  }

  private String[] row(JsonNode sandbox) {
    Instant now = context().clock().instant();
    List<String> cells =
        new ArrayList<>(
            List.of(
                Sandboxes.id(sandbox),
                sandbox.path("state").asText(),
                sandbox.path("profile_id").asText(),
                sandbox.path("extension_id").asText("-"),
                sandbox.path("consumer").path("project").asText("-"),
                Spans.since(sandbox.path("created_at").asText(), now),
                sandbox.path("ended_at").isTextual()
                    ? "-"
                    : Spans.until(sandbox.path("expires_at").asText(), now)));
    if (allTenants) {
      cells.add(sandbox.path("tenant_id").asText("-"));
    }
    return cells.toArray(String[]::new);
  }
}
