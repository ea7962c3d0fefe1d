package dev.sandboxer.cli.terminal;

import dev.sandboxer.cli.Failure;
import dev.sandboxer.dataplane.exec.TerminalSize;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import sun.misc.Signal;

/** The terminal that standard input is. */
public final class Terminal {
  private static final int PATIENCE_SECONDS = 5;

  /**
   * Sets raw mode, then holds until its input ends, then sets back what was. A process of its own,
   * because the end of its input also tells it of a JVM that was killed.
   */
  private static final String GUARD =
      """
      trap '' INT TERM HUP QUIT TSTP TTIN TTOU
      saved=$(stty -g <"$1") && stty raw -echo <"$1" && echo raw || exit 1
      read -r _
      stty "$saved" <"$1"
      """;

  private final File device;

  private Terminal(File device) {
    this.device = device;
  }

  /** The device of standard input, or the one that governs this process where it has no name. */
  public static Terminal ofStandardInput() {
    return of(0);
  }

  /** The same for standard output. */
  static Terminal ofStandardOutput() {
    return of(1);
  }

  private static Terminal of(int descriptor) {
    try {
      Path target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor));
      return new Terminal(target.toFile());
    } catch (IOException e) {
      return new Terminal(new File("/dev/tty"));
    }
  }

  /** Its size now. */
  public TerminalSize size() {
    try {
      Process stty = new ProcessBuilder("stty", "size").redirectInput(device).start();
      try (BufferedReader printed = stty.inputReader(StandardCharsets.US_ASCII)) {
        String line = printed.readLine();
        return line == null ? TerminalSize.USUAL : size(line);
      }
    } catch (IOException e) {
      return TerminalSize.USUAL;
    }
  }

  /** From what {@code stty size} prints: rows, then columns. */
  private static TerminalSize size(String printed) {
    String[] words = printed.strip().split(" ", -1);
    if (words.length != 2 || !words[0].matches("[0-9]{1,4}") || !words[1].matches("[0-9]{1,4}")) {
      return TerminalSize.USUAL;
    }
    int rows = Integer.parseInt(words[0]);
    int cols = Integer.parseInt(words[1]);
    return rows == 0 || cols == 0 ? TerminalSize.USUAL : new TerminalSize(cols, rows);
  }

  /**
   * Hands every key to the reader of standard input as it is, until the result is closed or this
   * process ends, however it ends.
   *
   * @throws Failure when the terminal does not let itself be set
   */
  public Raw raw() {
    try {
      Process guard =
          new ProcessBuilder("sh", "-c", GUARD, "sh", device.getPath())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      String line = guard.inputReader(StandardCharsets.US_ASCII).readLine();
      if (!"raw".equals(line)) {
        throw Failure.sandboxer("the terminal " + device + " cannot be set to raw mode by stty");
      }
      return () -> release(guard);
    } catch (IOException e) {
      throw Failure.sandboxer("a terminal wants the programs sh and stty: " + e.getMessage(), e);
    }
  }

  private static void release(Process guard) {
    boolean interrupted = Thread.interrupted(); // the terminal is set back first
    try (OutputStream input = guard.getOutputStream()) {
      input.flush();
    } catch (IOException e) {
      // the guard has ended before us
    }
    try {
      var _ = guard.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Calls {@code receiver} with each size that differs from the one before. */
  public void onResize(TerminalSize known, Consumer<TerminalSize> receiver) {
    Resizes resizes = new Resizes(this, known, receiver);
    Signal.handle(new Signal("WINCH"), signal -> Thread.startVirtualThread(resizes::look));
    resizes.look(); // it may have changed before the signal was listened for
  }

  /** Raw mode. */
  @FunctionalInterface
  public interface Raw extends AutoCloseable {
    @Override
    void close();
  }

  private static final class Resizes {
    private final Terminal terminal;
    private final Consumer<TerminalSize> receiver;
    private TerminalSize last;

    Resizes(Terminal terminal, TerminalSize known, Consumer<TerminalSize> receiver) {
      this.terminal = terminal;
      this.last = known;
      this.receiver = receiver;
    }

    synchronized void look() {
      TerminalSize now = terminal.size();
      if (!now.equals(last)) {
        last = now;
        receiver.accept(now);
      }
    }
  }
}
