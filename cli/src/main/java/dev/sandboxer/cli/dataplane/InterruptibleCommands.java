package dev.sandboxer.cli.dataplane;

import dev.sandboxer.cli.terminal.Interrupts;
import dev.sandboxer.dataplane.Dataplane;
import dev.sandboxer.dataplane.exec.CommandEnd;
import dev.sandboxer.dataplane.exec.CommandOutput;
import dev.sandboxer.dataplane.exec.CommandRequest;
import dev.sandboxer.dataplane.exec.Commands;
import dev.sandboxer.dataplane.exec.RunningCommand;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** Runs commands in a sandbox, with this process's signals handed to the command. */
public final class InterruptibleCommands {
  private final Interrupts interrupts;

  public InterruptibleCommands(Interrupts interrupts) {
    this.interrupts = interrupts;
  }

  /**
   * Runs one command to its end.
   *
   * @param stdin forwarded with its end; null gives the command an empty one
   * @throws InterruptedException when Ctrl-C came before there was a connection, or a third one
   *     would wait no longer for the command's end
   */
  public CommandEnd run(
      Dataplane dataplane,
      CommandRequest request,
      CommandOutput output,
      @Nullable InputStream stdin)
      throws InterruptedException {
    try (RunningCommand command = new Commands(dataplane).start(request, output);
        Interrupts.Scope _ =
            interrupts.handTo(new SignalForwarder(command, Thread.currentThread()))) {
      command.awaitStart();
      if (stdin == null) {
        command.endInput();
      } else {
        command.pipe(stdin);
      }
      return command.await();
    }
  }
}
