package dev.sandboxer.cli.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.client.SandboxNames;
import dev.sandboxer.cli.client.Sandboxes;
import dev.sandboxer.cli.terminal.Spans;
import dev.sandboxer.cli.terminal.Table;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
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

  @Option(
      names = {"-p", "--profile"},
      paramLabel = "NAME",
      description = "Only those of this profile.")
  private @Nullable String profile;

  @Option(names = "--project", paramLabel = "NAME", description = "Only those of this project.")
  private @Nullable String project;

  @Option(
      names = {"-l", "--label"},
      paramLabel = "K=V",
      description = "Only those with this label; may be repeated.")
  private Map<String, String> labels = Map.of();

  public ListVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    List<JsonNode> sandboxes =
        new Sandboxes(context().api())
            .list(all, allTenants, query()).stream().filter(sandbox -> wanted(sandbox)).toList();
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

  private String query() {
    StringBuilder query = new StringBuilder();
    add(query, "profile", profile);
    add(query, "project", project);
    labels.forEach((key, value) -> add(query, "label", key + ":" + value));
    return query.toString();
  }

  private static void add(StringBuilder query, String name, @Nullable String value) {
    if (value != null) {
      query
          .append('&')
          .append(name)
          .append('=')
          .append(URLEncoder.encode(value, StandardCharsets.UTF_8));
    }
  }

  private boolean wanted(JsonNode sandbox) {
    return states.isEmpty() || states.contains(sandbox.path("state").asText());
  }

  private Table table(List<JsonNode> sandboxes) {
    List<String> titles =
        new ArrayList<>(
            List.of("ID", "NAME", "STATE", "PROFILE", "BACKEND", "PROJECT", "AGE", "ENDS IN"));
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
                sandbox.path("labels").path(SandboxNames.LABEL).asText("-"),
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
