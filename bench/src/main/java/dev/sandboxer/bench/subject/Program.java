package dev.sandboxer.bench.subject;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A program that must succeed. */
public final class Program {

  private Program() {}

  /** Runs it to its end; what it says is in the log, and in the exception of a failure. */
  public static void run(ProcessBuilder builder, Path log) throws IOException {
    Process process = builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      if (process.waitFor() != 0) {
        throw new IOException(
            String.join(" ", builder.command()) + " failed:\n" + Files.readString(log));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }
}
