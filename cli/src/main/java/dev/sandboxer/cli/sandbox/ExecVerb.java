package dev.sandboxer.cli.sandbox;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.client.Sandboxes;
import dev.sandboxer.cli.dataplane.CommandEnd;
import dev.sandboxer.cli.dataplane.CommandRequest;
import dev.sandboxer.cli.dataplane.Commands;
import dev.sandboxer.cli.dataplane.Dataplane;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A command in a sandbox that is there. */
@Command(
    name = "exec",
    description = "Run a command in a sandbox that is there.",
    customSynopsis = "sandboxer exec [OPTIONS] SANDBOX -- CMD [ARG...]")
public final class ExecVerb extends Verb {
  @Parameters(index = "0", paramLabel = "SANDBOX", description = "The sandbox's id.")
  private String id = "";

  @Parameters(index = "1..*", paramLabel = "CMD", description = "The command and its arguments.")
  private List<String> command = new ArrayList<>();

  @Option(
      names = {"-e", "--env"},
      paramLabel = "K=V",
      description = "A variable for the command; may be repeated.")
  private Map<String, String> env = Map.of();

  @Option(
      names = {"-w", "--cwd"},
      paramLabel = "DIR",
      description = "The working directory inside (default: /workspace).")
  private @Nullable String cwd;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      description = "Kill the command after this time; exit code 124.")
  private @Nullable Integer timeout;

  @Option(
      names = {"-i", "--interactive"},
      description = "Forward standard input even when it is a terminal.")
  private boolean interactive;

  public ExecVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    CommandRequest request = request();
    OutputSink sink = json() ? new Capture() : new PassThrough(context().console().streams());
    Dataplane dataplane =
        new Dataplane(new Sandboxes(context().api()), context().clock(), SandboxId.of(id));
    CommandEnd end =
        new Commands(context().http(), context().json(), context().interrupts())
            .run(dataplane, request, sink, stdin());
    if (json()) {
      print(document(end, sink));
    }
    return context().interrupts().first() == null
        ? end.status()
        : Interruption.status(context().interrupts());
  }

  private CommandRequest request() {
    List<String> words = Words.of(command, "exec " + id + " -- CMD [ARG...]");
    if (timeout != null && timeout <= 0) {
      throw Failure.usage("--timeout " + timeout + " must be at least 1 second");
    }
    return new CommandRequest(
        words, env, cwd, timeout == null ? null : Duration.ofSeconds(timeout));
  }

  private @Nullable InputStream stdin() {
    return interactive || !context().console().streams().terminal()
        ? context().console().streams().in()
        : null;
  }

  private ObjectNode document(CommandEnd end, OutputSink sink) {
    ObjectNode document = context().json().createObjectNode().put("sandbox_id", id);
    document
        .put("exit_code", end.exitCode())
        .put("signal", end.signal())
        .put("timed_out", end.timedOut());
    document.put("status", end.status()).put("ran_ms", end.ran().toMillis());
    sink.describe(document);
    return document;
  }
}
