package dev.sandboxer.cli.session;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.Verb;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Sessions of threads. What ensure and get print may be passed on as it is: it holds a token. */
@Command(name = "session", description = "Bind a thread to a sandbox, look it up, keep it, end it.")
public final class SessionVerb extends Verb {
  private static final String PATH = "/v1/sandbox/sessions";

  private SessionVerb(Context context) {
    super(context);
  }

  /** The verb with its own verbs. */
  public static CommandLine create(Context context) {
    return new CommandLine(new SessionVerb(context))
        .addSubcommand("ensure", new Ensure(context))
        .addSubcommand("get", new Get(context))
        .addSubcommand("heartbeat", new Heartbeat(context))
        .addSubcommand("release", new Release(context));
  }

  @Override
  public Integer call() {
    throw Failure.usage("say what to do: session ensure, get, heartbeat or release");
  }

  /** What ensure and get have in common: one JSON document on standard output. */
  abstract static class Negotiation extends Verb {
    private final String mode;

    @Parameters(paramLabel = "THREAD", description = "The thread's id, any text.")
    private String thread = "";

    @Option(
        names = "--bootstrap",
        description = "Print it as a run's configuration: config.configurable.sandbox.")
    private boolean bootstrap;

    Negotiation(Context context, String mode) {
      super(context);
      this.mode = mode;
    }

    /** Adds to the request. */
    void complete(ObjectNode body) {}

    @Override
    public Integer call() throws InterruptedException {
      ObjectNode body =
          context().json().createObjectNode().put("thread_id", thread).put("mode", mode);
      complete(body);
      JsonNode session = context().api().post(PATH, body, Map.of("Prefer", "wait=60")).body();
      print(bootstrap ? wrapped(session) : session);
      return ExitCode.OK;
    }

    private ObjectNode wrapped(JsonNode session) {
      ObjectNode document = context().json().createObjectNode();
      document.putObject("config").putObject("configurable").set("sandbox", session);
      return document;
    }
  }

  /** Finds or makes it. */
  @Command(name = "ensure", description = "Find or make the session of a thread; prints a token.")
  static final class Ensure extends Negotiation {
    @Option(names = "--profile", description = "The recipe of a new sandbox.")
    private String profile = "";

    Ensure(Context context) {
      super(context, "ensure");
    }

    @Override
    void complete(ObjectNode body) {
      if (!profile.isEmpty()) {
        body.put("profile", profile);
      }
    }
  }

  /** Finds it. */
  @Command(name = "get", description = "Find the session of a thread; prints a token.")
  static final class Get extends Negotiation {
    Get(Context context) {
      super(context, "get");
    }
  }

  /** Keeps it. */
  @Command(name = "heartbeat", description = "Prolong a session's lease.")
  static final class Heartbeat extends Verb {
    @Parameters(paramLabel = "SESSION", description = "The session's id, such as ssn_...")
    private String id = "";

    Heartbeat(Context context) {
      super(context);
    }

    @Override
    public Integer call() throws InterruptedException {
      JsonNode alive =
          context()
              .api()
              .post(
                  PATH + "/" + checked(id) + "/heartbeat",
                  context().json().createObjectNode(),
                  Map.of())
              .body();
      if (json()) {
        print(alive);
      } else {
        context().console().result(alive.at("/binding/lease_expires_at").asText());
      }
      return ExitCode.OK;
    }
  }

  /** Ends it. */
  @Command(name = "release", description = "End a session, and its sandbox.")
  static final class Release extends Verb {
    @Parameters(paramLabel = "SESSION", description = "The session's id, such as ssn_...")
    private String id = "";

    Release(Context context) {
      super(context);
    }

    @Override
    public Integer call() throws InterruptedException {
      var _ = context().api().delete(PATH + "/" + checked(id));
      if (!json()) {
        context().console().result(id + " released");
      }
      return ExitCode.OK;
    }
  }

  private static String checked(String id) {
    if (!id.matches("ssn_[a-z0-9]{1,64}")) {
      throw Failure.usage("\"" + id + "\" is no session's id: they look like ssn_...");
    }
    return id;
  }
}
