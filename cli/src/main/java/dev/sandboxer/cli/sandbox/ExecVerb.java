package dev.sandboxer.cli.sandbox;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.CommandWords;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.dataplane.CommandStatus;
import dev.sandboxer.cli.dataplane.InterruptibleCommands;
import dev.sandboxer.cli.terminal.Escapes;
import dev.sandboxer.dataplane.exec.CommandEnd;
import dev.sandboxer.dataplane.exec.CommandRequest;
import dev.sandboxer.dataplane.process.ManagedProcess;
import dev.sandboxer.dataplane.process.Processes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** A command in a sandbox that is there. */
@Command(
    name = "exec",
    description = "Run a command in a sandbox that is there.",
    customSynopsis = "sandboxer exec [OPTIONS] SANDBOX [--] CMD [ARG...]")
public final class ExecVerb extends Verb {
  @Parameters(
      index = "0",
      paramLabel = "SANDBOX",
      description = "Its id, the beginning of one, or its name.")
  private String id = "";

  @Parameters(
      index = "1..*",
      paramLabel = "CMD",
      description = "The command and its arguments.",
      preprocessor = CommandWords.class)
  private List<String> command = new ArrayList<>();

  @Mixin private final CommandOptions options = new CommandOptions();

  @Mixin private final DetachOptions detach = new DetachOptions();

  public ExecVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    String sandbox = context().sandbox(id);
    CommandRequest request = options.request(Words.of(command, "exec " + id + " -- CMD [ARG...]"));
    if (detach.wanted()) {
      return detached(sandbox, request);
    }
    return options.tty() ? atTerminal(sandbox, request) : streamed(sandbox, request);
  }

  private int atTerminal(String sandbox, CommandRequest request) throws InterruptedException {
    AtTerminal terminal = new AtTerminal(context());
    terminal.check(json(), "exec " + sandbox + " -- " + String.join(" ", request.command()));
    return CommandStatus.of(terminal.run(context().dataplane(sandbox), request));
  }

  private int detached(String sandbox, CommandRequest request) throws InterruptedException {
    if (options.tty() || request.timeout() != null) {
      throw Failure.usage("--detach goes neither with --tty nor with --timeout");
    }
    ManagedProcess process =
        new Processes(context().dataplane(sandbox)).start(detach.process(request));
    if (json()) {
      print(process.json());
    } else {
      context().console().result(Escapes.visible(process.id()));
    }
    return ExitCode.OK;
  }

  private int streamed(String sandbox, CommandRequest request) throws InterruptedException {
    Listener sink =
        new Listener(json() ? new Capture() : new PassThrough(context().console().streams()));
    CommandEnd end =
        new InterruptibleCommands(context().interrupts())
            .run(
                context().dataplane(sandbox),
                request,
                sink,
                options.stdin(context().console().streams()));
    boolean interrupted = context().interrupts().first() != null;
    Optional<Hint> hint = interrupted ? Optional.empty() : Hint.of(end, sink.errors());
    if (json()) {
      print(document(sandbox, end, sink, hint));
    } else if (!options.quiet()) {
      hint.ifPresent(what -> context().console().tell("hint: " + what.text()));
    }
    return interrupted ? Interruption.status(context().interrupts()) : CommandStatus.of(end);
  }

  private ObjectNode document(
      String sandbox, CommandEnd end, OutputSink sink, Optional<Hint> hint) {
    ObjectNode document = context().json().createObjectNode().put("sandbox_id", sandbox);
    document
        .put("exit_code", end.exitCode())
        .put("signal", end.signal())
        .put("timed_out", end.timedOut());
    document.put("status", CommandStatus.of(end)).put("ran_ms", end.ran().toMillis());
    hint.ifPresent(what -> document.put("hint", what.text()).put("profile_key", what.key()));
    sink.describe(document);
    return document;
  }
}
