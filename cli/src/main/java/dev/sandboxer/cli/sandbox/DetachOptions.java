package dev.sandboxer.cli.sandbox;

import dev.sandboxer.cli.Failure;
import dev.sandboxer.dataplane.exec.CommandRequest;
import dev.sandboxer.dataplane.process.ProcessRequest;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** A command that goes on without this call: a managed process. */
final class DetachOptions {
  @Option(
      names = {"-d", "--detach"},
      description = "Start the command, print its process id and let it run.")
  private boolean detach;

  @Option(
      names = "--name",
      paramLabel = "PROCESS",
      description = "With --detach: the process's id, 1 to 64 letters, digits, - or _.")
  private @Nullable String name;

  @Option(
      names = "--restart",
      paramLabel = "WHEN",
      description = "With --detach: never (default), on-failure or always.")
  private @Nullable String restart;

  /** Whether it is wanted; one of its options alone is a wrong call. */
  boolean wanted() {
    if (!detach && (name != null || restart != null)) {
      throw Failure.usage(
          (name == null ? "--restart " + restart : "--name " + name) + " goes with --detach");
    }
    return detach;
  }

  /** The process to start. */
  ProcessRequest process(CommandRequest request) {
    return new ProcessRequest(request, name, restart, false);
  }
}
