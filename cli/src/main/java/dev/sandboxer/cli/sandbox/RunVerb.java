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
import dev.sandboxer.cli.dataplane.Workspace;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A command in a sandbox of its own, destroyed at the end whatever happens. */
@Command(
    name = "run",
    description = "Run a command in a sandbox of its own, which is destroyed at the end.",
    customSynopsis = "sandboxer run [OPTIONS] -- CMD [ARG...]")
public final class RunVerb extends Verb {
  @Option(
      names = "--profile",
      defaultValue = "local",
      paramLabel = "NAME",
      description = "The recipe (default: ${DEFAULT-VALUE}).")
  private String profile = "local";

  @Option(
      names = "--in",
      paramLabel = "DIR",
      description = "Put this folder's contents into /workspace first.")
  private @Nullable Path in;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Bring /workspace back beneath this folder at the end.")
  private @Nullable Path out;

  @Option(
      names = {"-e", "--env"},
      paramLabel = "K=V",
      description = "A variable for the command; may be repeated.")
  private Map<String, String> env = Map.of();

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      description = "Kill the command after this time; exit code 124.")
  private @Nullable Integer timeout;

  @Option(
      names = "--project",
      defaultValue = "cli",
      paramLabel = "NAME",
      description = "The project in the record (default: ${DEFAULT-VALUE}).")
  private String project = "cli";

  @Option(
      names = {"-i", "--interactive"},
      description = "Forward standard input even when it is a terminal.")
  private boolean interactive;

  @Option(
      names = {"-q", "--quiet"},
      description = "Only the last line about the sandbox.")
  private boolean quiet;

  @Parameters(arity = "0..*", paramLabel = "CMD", description = "The command and its arguments.")
  private List<String> command = new ArrayList<>();

  public RunVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    CommandRequest request = request();
    Sandboxes sandboxes = new Sandboxes(context().api());
    OutputSink sink = json() ? new Capture() : new PassThrough(context().console().streams());
    RunReport report = new RunReport();
    try (SandboxLease lease = new SandboxLease(sandboxes, report)) {
      progress("creating a sandbox (" + profile + ")");
      report.created(lease.create(body()));
      progress(lease.id() + " is ready (" + report.start() + ")");
      Dataplane dataplane = new Dataplane(sandboxes, context().clock(), lease.id());
      return work(dataplane, request, sink, report);
    } finally {
      if (report.worthTelling()) {
        context().console().tell(report.line());
      }
      if (json() && report.ended()) {
        print(report.document(context().json(), sink));
      }
    }
  }

  private int work(Dataplane dataplane, CommandRequest request, OutputSink sink, RunReport report)
      throws InterruptedException {
    Transfer transfer =
        new Transfer(
            new Workspace(context().http(), context().json()), this::progress, context().console());
    if (in != null) {
      transfer.in(dataplane, in);
    }
    CommandEnd end =
        new Commands(context().http(), context().json(), context().interrupts())
            .run(dataplane, request, sink, stdin());
    report.ran(end);
    if (out != null) {
      transfer.out(dataplane, out);
    }
    return interruptedOr(end.status());
  }

  /** Ctrl-C is what the caller is told about, also when the command made something else of it. */
  private int interruptedOr(int status) {
    return context().interrupts().first() == null
        ? status
        : Interruption.status(context().interrupts());
  }

  private CommandRequest request() {
    List<String> words = Words.of(command, "run [OPTIONS] -- CMD [ARG...]");
    if (in != null && !Files.isDirectory(in)) {
      throw Failure.usage("--in " + in + " is not a folder");
    }
    if (out != null && Files.exists(out) && !Files.isDirectory(out)) {
      throw Failure.usage("--out " + out + " is there and not a folder");
    }
    if (timeout != null && timeout <= 0) {
      throw Failure.usage("--timeout " + timeout + " must be at least 1 second");
    }
    return new CommandRequest(
        words, env, null, timeout == null ? null : Duration.ofSeconds(timeout));
  }

  private ObjectNode body() {
    return CreateBody.of(context().json(), profile, project);
  }

  private @Nullable InputStream stdin() {
    return interactive || !context().console().streams().terminal()
        ? context().console().streams().in()
        : null;
  }

  private void progress(String line) {
    if (!quiet && !json()) {
      context().console().tell(line);
    }
  }

  /** Makes relative paths and links plain before they are used. */
  static Path real(Path folder) {
    try {
      return folder.toRealPath();
    } catch (IOException e) {
      throw Failure.sandboxer(folder + " cannot be read: " + e.getMessage(), e);
    }
  }
}
