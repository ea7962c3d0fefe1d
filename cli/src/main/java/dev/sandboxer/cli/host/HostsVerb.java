package dev.sandboxer.cli.host;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.client.Pages;
import dev.sandboxer.cli.terminal.Escapes;
import dev.sandboxer.cli.terminal.Table;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The places where sandboxes may go. */
@Command(
    name = "hosts",
    description = "List hosts with their load; register, change, drain, remove them.")
public final class HostsVerb extends Verb {
  private static final String HOSTS = "/v1/hosts";

  private HostsVerb(Context context) {
    super(context);
  }

  /** The verb with its own verbs; without one it lists. */
  public static CommandLine create(Context context) {
    return new CommandLine(new HostsVerb(context))
        .addSubcommand("list", new HostsVerb(context), "ls")
        .addSubcommand("show", new Show(context))
        .addSubcommand("add", new AddHostVerb(context))
        .addSubcommand("change", new ChangeHostVerb(context))
        .addSubcommand("cordon", new Cordon(context))
        .addSubcommand("uncordon", new Uncordon(context))
        .addSubcommand("drain", new Drain(context))
        .addSubcommand("rm", new Remove(context));
  }

  @Override
  public Integer call() throws InterruptedException {
    List<JsonNode> hosts = new Pages(context().api()).all(HOSTS);
    if (json()) {
      ObjectNode document = context().json().createObjectNode();
      document.putArray("items").addAll(hosts);
      print(document);
      return ExitCode.OK;
    }
    Table table =
        new Table("NAME", "EXTENSION", "STATE", "SANDBOXES", "CPUS", "MEMORY", "LOAD", "REGION");
    hosts.forEach(host -> table.add(HostFacts.row(host)));
    print(table);
    hosts.forEach(
        host ->
            HostFacts.troubles(host)
                .forEach(line -> context().console().tell(Escapes.visible(line))));
    return ExitCode.OK;
  }

  /** What is done to one host. */
  abstract static class One extends Verb {
    @Parameters(paramLabel = "HOST", description = "The host's name.")
    private String name = "";

    One(Context context) {
      super(context);
    }

    String path() {
      return HOSTS + "/" + HostFacts.name(name);
    }

    Integer done(JsonNode host) {
      if (json()) {
        print(host);
      } else {
        context().console().result(name + " is " + host.path("state").asText());
      }
      return ExitCode.OK;
    }

    JsonNode post(String verb, ObjectNode body) throws InterruptedException {
      return context().api().post(path() + "/" + verb, body, Map.of()).body();
    }

    ObjectNode empty() {
      return context().json().createObjectNode();
    }
  }

  /** All that is known of a host. */
  @Command(name = "show", description = "Show a host.")
  static final class Show extends One {
    Show(Context context) {
      super(context);
    }

    @Override
    public Integer call() throws InterruptedException {
      JsonNode host = context().api().get(path());
      if (json()) {
        print(host);
      } else {
        HostFacts.lines(host).forEach(line -> context().console().result(Escapes.visible(line)));
      }
      return ExitCode.OK;
    }
  }

  /** No new sandboxes. */
  @Command(name = "cordon", description = "Let no new sandboxes onto a host; what runs goes on.")
  static final class Cordon extends One {
    Cordon(Context context) {
      super(context);
    }

    @Override
    public Integer call() throws InterruptedException {
      return done(post("cordon", empty()));
    }
  }

  /** New sandboxes again. */
  @Command(name = "uncordon", description = "Let sandboxes onto a host again; ends a drain.")
  static final class Uncordon extends One {
    Uncordon(Context context) {
      super(context);
    }

    @Override
    public Integer call() throws InterruptedException {
      return done(post("uncordon", empty()));
    }
  }

  /** Empties a host. */
  @Command(name = "drain", description = "Empty a host: no new sandboxes, and what runs leaves.")
  static final class Drain extends One {
    @Option(
        names = "--running",
        defaultValue = "keep",
        paramLabel = "WHAT",
        description =
            "keep: until they end by themselves; end: at once; recreate: elsewhere"
                + " (default: ${DEFAULT-VALUE}).")
    private String running = "keep";

    Drain(Context context) {
      super(context);
    }

    @Override
    public Integer call() throws InterruptedException {
      return done(post("drain", empty().put("running", running)));
    }
  }

  /** Removes a host. */
  @Command(name = "rm", description = "Remove a host that holds nothing.")
  static final class Remove extends One {
    @Option(
        names = "--force",
        description = "Also while it holds sandboxes: they end, and their remains are cleaned up.")
    private boolean force;

    Remove(Context context) {
      super(context);
    }

    @Override
    public Integer call() throws InterruptedException {
      var _ = context().api().delete(path() + (force ? "?force=true" : ""));
      if (!json()) {
        context().console().result("removed");
      }
      return ExitCode.OK;
    }
  }
}
