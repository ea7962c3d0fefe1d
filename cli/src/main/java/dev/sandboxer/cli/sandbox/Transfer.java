package dev.sandboxer.cli.sandbox;

import dev.sandboxer.cli.archive.Tally;
import dev.sandboxer.cli.dataplane.Dataplane;
import dev.sandboxer.cli.dataplane.Workspace;
import dev.sandboxer.cli.terminal.Console;
import dev.sandboxer.cli.terminal.Escapes;
import dev.sandboxer.cli.terminal.Spans;
import java.nio.file.Path;
import java.util.function.Consumer;

/** Folders in and out, each told in a line. */
final class Transfer {
  private final Workspace workspace;
  private final Consumer<String> progress;
  private final Console console;

  Transfer(Workspace workspace, Consumer<String> progress, Console console) {
    this.workspace = workspace;
    this.progress = progress;
    this.console = console;
  }

  void in(Dataplane dataplane, Path folder) throws InterruptedException {
    Tally tally = workspace.putIn(dataplane, RunVerb.real(folder));
    progress.accept("copied in " + sum(tally));
    warn(tally, "not copied in, because inside it would lead nowhere");
  }

  void out(Dataplane dataplane, Path folder) throws InterruptedException {
    Tally tally = workspace.bringOut(dataplane, folder);
    progress.accept("brought out " + sum(tally) + " to " + folder);
    warn(tally, "not brought out, because it is no file or leads out of the folder");
  }

  private static String sum(Tally tally) {
    return tally.files()
        + (tally.files() == 1 ? " file, " : " files, ")
        + Spans.bytes(tally.bytes());
  }

  private void warn(Tally tally, String why) {
    if (tally.skippedCount() == 0) {
      return;
    }
    int more = tally.skippedCount() - tally.skipped().size();
    String names = String.join(", ", tally.skipped()) + (more > 0 ? " and " + more + " more" : "");
    console.tell(Escapes.visible("warning: " + why + ": " + names));
  }
}
