package dev.sandboxer.cli.process;

import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.TimeSpan;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.terminal.Escapes;
import dev.sandboxer.cli.terminal.Streams;
import dev.sandboxer.dataplane.exec.CommandEnd;
import dev.sandboxer.dataplane.exec.CommandOutput;
import dev.sandboxer.dataplane.process.LogListener;
import dev.sandboxer.dataplane.process.ProcessLog;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What a managed process has printed. */
@Command(
    name = "logs",
    description = "Print what a managed process has written, and what it goes on to write.",
    footer = {
      "",
      "Its standard output and error come out raw and separate. A lost connection is made again where it",
      "broke; bytes that the sandbox no longer keeps are told on standard error."
    })
public final class LogsVerb extends Verb {
  @Parameters(
      index = "0",
      paramLabel = "SANDBOX",
      description = "Its id, the beginning of one, or its name.")
  private String id = "";

  @Parameters(index = "1", paramLabel = "PROCESS", description = "The process's id, see ps.")
  private String process = "";

  @Option(
      names = {"-f", "--follow"},
      description = "Go on until the process ends.")
  private boolean follow;

  @Option(
      names = "--tail",
      paramLabel = "LINES",
      description = "Of what is there only the last lines of each stream.")
  private @Nullable Integer tail;

  @Option(
      names = "--since",
      paramLabel = "TIME",
      converter = TimeSpan.class,
      description = "Only what it wrote in this time, seconds or such as 10m.")
  private @Nullable Duration since;

  @Option(
      names = {"-q", "--quiet"},
      description = "Only what the process wrote.")
  private boolean quiet;

  public LogsVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    if (json()) {
      throw Failure.usage(
          "logs has no JSON: what a process wrote comes out as it is; its record is in"
              + " sandboxer ps --json");
    }
    ProcessLog log =
        new ProcessLog(
            context().dataplane(context().sandbox(id)), ProcessId.of(process), new Happenings());
    if (since != null) {
      log.since(since);
    }
    CommandOutput output = new Raw(context().console().streams());
    if (tail != null) {
      last(log, tail, output);
    }
    if (follow) {
      log.follow(output);
    } else if (tail == null) {
      log.read(output);
    }
    return ExitCode.OK;
  }

  private static void last(ProcessLog log, int lines, CommandOutput output)
      throws InterruptedException {
    if (lines < 1) {
      throw Failure.usage("--tail " + lines + " must be at least 1");
    }
    LastLines last = new LastLines(lines);
    log.read(last);
    try {
      last.into(output);
    } catch (IOException e) {
      throw Failure.sandboxer("the output cannot be written: " + e.getMessage(), e);
    }
  }

  private void tell(String line) {
    if (!quiet) {
      context().console().tell(Escapes.visible(line));
    }
  }

  private final class Happenings implements LogListener {
    @Override
    public void gap(String stream, long from, long to) {
      tell("gap: bytes " + from + " to " + to + " of " + stream + " are no longer kept");
    }

    @Override
    public void ended(CommandEnd end, boolean again) {
      tell(process + " ended: " + ProcessEnd.of(end) + (again ? "; it is started again" : ""));
    }

    @Override
    public void lost(String why) {
      tell(why + "; connecting again");
    }
  }

  private record Raw(Streams streams) implements CommandOutput {
    @Override
    public void out(byte[] bytes) throws IOException {
      write(streams.out(), bytes);
    }

    @Override
    public void err(byte[] bytes) throws IOException {
      write(streams.err(), bytes);
    }

    private static void write(OutputStream to, byte[] bytes) throws IOException {
      to.write(bytes);
      to.flush();
    }
  }
}
