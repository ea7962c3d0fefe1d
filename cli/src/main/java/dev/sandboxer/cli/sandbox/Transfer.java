package dev.sandboxer.cli.sandbox;

import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.terminal.Console;
import dev.sandboxer.cli.terminal.Escapes;
import dev.sandboxer.cli.terminal.Spans;
import dev.sandboxer.dataplane.archive.Tally;
import dev.sandboxer.dataplane.file.Progress;
import dev.sandboxer.dataplane.file.SandboxFolders;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;

/** Folders in and out, each told in a line. */
final class Transfer {
  private final SandboxFolders folders;
  private final Consumer<String> progress;
  private final Console console;

  Transfer(SandboxFolders folders, Consumer<String> progress, Console console) {
    this.folders = folders;
    this.progress = progress;
    this.console = console;
  }

  void in(Path folder) throws InterruptedException {
    Tally tally = folders.upload(real(folder), ".", Progress.NONE);
    progress.accept("copied in " + sum(tally));
    warn(tally, "not copied in, because inside it would lead nowhere");
  }

  void out(Path folder) throws InterruptedException {
    Tally tally = folders.download(".", folder, Progress.NONE);
    progress.accept("brought out " + sum(tally) + " to " + folder);
    warn(tally, "not brought out, because it is no file or leads out of the folder");
  }

  /** Makes relative paths and links plain before they are used. */
  static Path real(Path folder) {
    try {
      return folder.toRealPath();
    } catch (IOException e) {
      throw Failure.sandboxer(folder + " cannot be read: " + e.getMessage(), e);
    }
  }

  /** For example {@code 3 files, 1.2 KiB}. */
  static String sum(Tally tally) {
    return tally.files()
        + (tally.files() == 1 ? " file, " : " files, ")
        + Spans.bytes(tally.bytes());
  }

  private void warn(Tally tally, String why) {
    warn(console, tally, why);
  }

  /** Names what was left out. */
  static void warn(Console console, Tally tally, String why) {
    if (tally.skippedCount() == 0) {
      return;
    }
    int more = tally.skippedCount() - tally.skipped().size();
    String names = String.join(", ", tally.skipped()) + (more > 0 ? " and " + more + " more" : "");
    console.tell(Escapes.visible("warning: " + why + ": " + names));
  }
}
