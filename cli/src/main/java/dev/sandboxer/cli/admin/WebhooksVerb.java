package dev.sandboxer.cli.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.Verb;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** URLs that events are sent to. */
@Command(name = "webhooks", description = "List, create, try and delete webhooks.")
public final class WebhooksVerb extends Listing {
  private static final String PATH = "/v1/webhooks";

  private WebhooksVerb(Context context) {
    super(context, PATH, "id", "url", "enabled", "failures", "waiting", "paused_reason");
  }

  /** The verb with its own verbs; without one it lists. */
  public static CommandLine create(Context context) {
    return new CommandLine(new WebhooksVerb(context))
        .addSubcommand("list", new WebhooksVerb(context), "ls")
        .addSubcommand("create", new Create(context))
        .addSubcommand("delete", new Delete(context), "rm")
        .addSubcommand("test", new Test(context))
        .addSubcommand("deliveries", new Deliveries(context))
        .addSubcommand("replay", new Replay(context));
  }

  /** Where one webhook is. */
  static String at(String id) {
    if (!id.matches("whk_[a-z0-9]{1,64}")) {
      throw Failure.usage(
          "\"" + id + "\" is no webhook's id: they look like whk_...; see sandboxer webhooks");
    }
    return PATH + "/" + id;
  }

  /** A new webhook; its secret is shown once. */
  @Command(name = "create", description = "Create a webhook; its secret is shown once.")
  static final class Create extends Verb {
    @Parameters(paramLabel = "URL", description = "Where events are sent to.")
    private String url = "";

    @Option(
        names = "--type",
        paramLabel = "TYPE",
        description = "Only this type, such as sandbox.ready or sandbox.*; repeatable.")
    private List<String> types = new ArrayList<>();

    @Option(
        names = "--profile",
        paramLabel = "PROFILE",
        description = "Only sandboxes of this profile; repeatable.")
    private List<String> profiles = new ArrayList<>();

    @Option(names = "--description", paramLabel = "TEXT", description = "For people.")
    private @Nullable String description;

    Create(Context context) {
      super(context);
    }

    @Override
    public Integer call() throws InterruptedException {
      ObjectNode body = context().json().createObjectNode().put("url", url);
      texts(body.putArray("types"), types);
      texts(body.putArray("profiles"), profiles);
      if (description != null) {
        body.put("description", description);
      }
      JsonNode made = context().api().post(PATH, body, Map.of()).body();
      if (json()) {
        print(made);
      } else {
        context()
            .console()
            .tell(made.path("id").asText() + " (keep the secret: it is not shown again)");
        context().console().result(made.path("secret").asText());
      }
      return ExitCode.OK;
    }

    private static void texts(ArrayNode array, List<String> texts) {
      texts.forEach(array::add);
    }
  }

  /** Ends a webhook. */
  @Command(name = "delete", description = "Delete a webhook, with what waits for it.")
  static final class Delete extends Verb {
    @Parameters(paramLabel = "WEBHOOK", description = "The webhook's id, such as whk_...")
    private String id = "";

    Delete(Context context) {
      super(context);
    }

    @Override
    public Integer call() throws InterruptedException {
      JsonNode ended = context().api().delete(at(id));
      if (json()) {
        print(ended);
      } else {
        context().console().result(id + " deleted");
      }
      return ExitCode.OK;
    }
  }

  /** What was sent. */
  @Command(name = "deliveries", description = "List what was sent, newest first.")
  static final class Deliveries extends Listing {
    @Parameters(paramLabel = "WEBHOOK", description = "The webhook's id, such as whk_...")
    private String id = "";

    Deliveries(Context context) {
      super(context, PATH, "at", "event_id", "type", "cause", "attempt", "status", "error");
    }

    @Override
    String path() {
      return at(id) + "/deliveries";
    }
  }

  /** Tells how a delivery went. */
  abstract static class Sending extends Verb {
    Sending(Context context) {
      super(context);
    }

    /** Asks for it; exit code 1 if it failed. */
    int send(String path) throws InterruptedException {
      JsonNode sent =
          context().api().post(path, context().json().createObjectNode(), Map.of()).body();
      String outcome = sent.path("outcome").asText();
      if (json()) {
        print(sent);
      } else {
        JsonNode error = sent.path("error");
        context()
            .console()
            .result(
                sent.path("event_id").asText()
                    + " "
                    + outcome
                    + (error.isTextual() ? ": " + error.asText() : ""));
      }
      return outcome.equals("failed") ? ExitCode.FAILED : ExitCode.OK;
    }
  }

  /** A test message. */
  @Command(name = "test", description = "Send a message of type webhook.test, once.")
  static final class Test extends Sending {
    @Parameters(paramLabel = "WEBHOOK", description = "The webhook's id, such as whk_...")
    private String id = "";

    Test(Context context) {
      super(context);
    }

    @Override
    public Integer call() throws InterruptedException {
      return send(at(id) + "/test");
    }
  }

  /** An event once more. */
  @Command(name = "replay", description = "Send an event again.")
  static final class Replay extends Sending {
    @Parameters(index = "0", paramLabel = "WEBHOOK", description = "Its id, such as whk_...")
    private String id = "";

    @Parameters(index = "1", paramLabel = "EVENT", description = "Its id, such as evt_...")
    private String event = "";

    Replay(Context context) {
      super(context);
    }

    @Override
    public Integer call() throws InterruptedException {
      if (!event.matches("evt_[a-z0-9]{1,64}")) {
        throw Failure.usage("\"" + event + "\" is no event's id: they look like evt_...");
      }
      return send(at(id) + "/deliveries/" + event + "/replay");
    }
  }
}
