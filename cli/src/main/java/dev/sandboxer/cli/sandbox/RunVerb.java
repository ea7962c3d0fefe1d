package dev.sandboxer.cli.sandbox;

import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.client.Sandboxes;
import dev.sandboxer.cli.dataplane.CommandStatus;
import dev.sandboxer.cli.dataplane.InterruptibleCommands;
import dev.sandboxer.cli.terminal.Escapes;
import dev.sandboxer.dataplane.Dataplane;
import dev.sandboxer.dataplane.exec.CommandEnd;
import dev.sandboxer.dataplane.exec.CommandRequest;
import dev.sandboxer.dataplane.file.SandboxFolders;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A command in a sandbox of its own, destroyed at the end whatever happens. */
@Command(
    name = "run",
    description = "Run a command in a sandbox of its own, which is destroyed at the end.",
    customSynopsis = {
      "sandboxer run [OPTIONS] -- CMD [ARG...]",
      "sandboxer run -t [OPTIONS] [-- CMD [ARG...]]"
    },
    footer = {"", "With -t and no command it is a shell; ~. at the beginning of a line hangs up."})
public final class RunVerb extends Verb {
  @Mixin private final CreateOptions sandbox = new CreateOptions();

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

  @Mixin private final CommandOptions options = new CommandOptions();

  @Parameters(arity = "0..*", paramLabel = "CMD", description = "The command and its arguments.")
  private List<String> command = new ArrayList<>();

  public RunVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    CommandRequest request = request();
    Sandboxes sandboxes = new Sandboxes(context().api());
    Listener sink =
        new Listener(json() ? new Capture() : new PassThrough(context().console().streams()));
    RunReport report = new RunReport();
    try (SandboxLease lease = new SandboxLease(sandboxes, report)) {
      progress("creating a sandbox (" + sandbox.profile() + ")");
      report.created(lease.create(sandbox.body(context().json()), this::progress));
      progress(lease.id() + " is ready (" + report.start() + ")");
      return work(context().dataplane(lease.id()), request, sink, report);
    } finally {
      if (report.worthTelling()) {
        context().console().tell(report.line());
      }
      if (json() && report.ended()) {
        print(report.document(context().json(), sink));
      }
    }
  }

  private int work(Dataplane dataplane, CommandRequest request, Listener sink, RunReport report)
      throws InterruptedException {
    Transfer transfer =
        new Transfer(new SandboxFolders(dataplane), this::progress, context().console());
    if (in != null) {
      transfer.in(in);
    }
    CommandEnd end = ended(dataplane, request, sink);
    report.ran(end);
    hint(end, sink, report);
    if (out != null) {
      transfer.out(out);
    }
    return interruptedOr(CommandStatus.of(end));
  }

  private CommandEnd ended(Dataplane dataplane, CommandRequest request, Listener sink)
      throws InterruptedException {
    if (options.tty()) {
      AtTerminal terminal = new AtTerminal(context());
      return request.command().isEmpty()
          ? terminal.runShell(dataplane, request)
          : terminal.run(dataplane, request);
    }
    return new InterruptibleCommands(context().interrupts())
        .run(dataplane, request, sink, options.stdin(context().console().streams()));
  }

  private void hint(CommandEnd end, Listener sink, RunReport report) {
    if (context().interrupts().first() == null) {
      Hint.of(end, sink.errors())
          .ifPresent(
              what -> {
                report.hint(what);
                progress("hint: " + what.text());
              });
    }
  }

  /** Ctrl-C is what the caller is told about, also when the command made something else of it. */
  private int interruptedOr(int status) {
    return context().interrupts().first() == null
        ? status
        : Interruption.status(context().interrupts());
  }

  private CommandRequest request() {
    List<String> words =
        options.tty() ? Words.given(command) : Words.of(command, "run [OPTIONS] -- CMD [ARG...]");
    if (options.tty()) {
      new AtTerminal(context())
          .check(json(), "run -- " + (words.isEmpty() ? "sh" : String.join(" ", words)));
    }
    if (in != null && !Files.isDirectory(in)) {
      throw Failure.usage(
          "--in " + in + (Files.exists(in) ? " is not a folder" : ": there is no such folder"));
    }
    if (out != null && Files.exists(out) && !Files.isDirectory(out)) {
      throw Failure.usage("--out " + out + " is there and not a folder");
    }
    return options.request(words);
  }

  private void progress(String line) {
    if (!options.quiet() && !json()) {
      context().console().tell(Escapes.visible(line));
    }
  }
}
