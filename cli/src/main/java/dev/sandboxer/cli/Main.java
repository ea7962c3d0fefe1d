package dev.sandboxer.cli;

import dev.sandboxer.cli.terminal.Console;
import dev.sandboxer.cli.terminal.Interrupts;
import dev.sandboxer.cli.terminal.Streams;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;

/** The process's entry. */
public final class Main {
  private Main() {}

  /** Runs the command line and ends the process with its exit code. */
  public static void main(String[] arguments) {
    calmNetty();
    Interrupts interrupts = new Interrupts();
    interrupts.install();
    Context context =
        new Context(System.getenv(), new Console(streams()), interrupts, Clock.systemUTC());
    int code = CommandLineFactory.execute(context, arguments);
    context.close();
    System.exit(code);
  }

  /**
   * Netty needs neither {@code sun.misc.Unsafe}, of which the JDK warns on standard error, nor
   * pools of memory for a client that opens one connection.
   */
  private static void calmNetty() {
    System.setProperty("io.netty.noUnsafe", "true");
    System.setProperty("io.netty.allocator.type", "unpooled");
  }

  private static Streams streams() {
    return new Streams(
        new FileInputStream(FileDescriptor.in),
        new FileOutputStream(FileDescriptor.out),
        new FileOutputStream(FileDescriptor.err),
        terminal(0),
        terminal(1),
        terminal(2));
  }

  /**
   * Java tells only whether input and output together are one, so Linux is asked about each stream
   * alone.
   */
  @SuppressWarnings("SystemConsoleNull") // NullAway knows it as nullable
  private static boolean terminal(int descriptor) {
    try {
      String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString();
      return target.startsWith("/dev/pts/")
          || target.startsWith("/dev/tty")
          || target.equals("/dev/console");
    } catch (IOException e) {
      java.io.Console console = System.console();
      return console != null && console.isTerminal();
    }
  }
}
