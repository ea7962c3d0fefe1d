package dev.sandboxer.cli.process;

import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.terminal.Escapes;
import dev.sandboxer.dataplane.process.ManagedProcess;
import dev.sandboxer.dataplane.process.Processes;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The end of a managed process. */
@Command(
    name = "stop",
    description = "End a managed process and all that it started.",
    footer = {
      "",
      "It is asked by TERM and killed 5 seconds later. One that has ended is taken off the list."
    })
public final class StopVerb extends Verb {
  @Parameters(
      index = "0",
      paramLabel = "SANDBOX",
      description = "Its id, the beginning of one, or its name.")
  private String id = "";

  @Parameters(index = "1", paramLabel = "PROCESS", description = "The process's id, see ps.")
  private String process = "";

  public StopVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    Processes processes = new Processes(context().dataplane(context().sandbox(id)));
    ManagedProcess ended = processes.stop(ProcessId.of(process));
    if (json()) {
      print(ended.json());
    } else {
      context().console().tell(Escapes.visible(process + " ended: " + ProcessEnd.of(ended.end())));
    }
    return ExitCode.OK;
  }
}
