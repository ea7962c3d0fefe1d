package dev.sandboxer.platform.database;

import dev.sandboxer.platform.installation.StartupException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** What PostgreSQL has written since one moment, to say what went wrong. */
final class ServerLog {

  private static final long ROTATE_BYTES = 10L << 20;

  private final Path file;
  private final long from;

  private ServerLog(Path file, long from) {
    this.file = file;
    this.from = from;
  }

  /** From now on; a long file is put aside first. */
  static ServerLog at(Path file) throws IOException {
    long size = Files.exists(file) ? Files.size(file) : 0;
    if (size > ROTATE_BYTES) {
      Files.move(
          file,
          file.resolveSibling(file.getFileName() + ".1"),
          StandardCopyOption.REPLACE_EXISTING);
      size = 0;
    }
    return new ServerLog(file, size);
  }

  boolean says(String words) {
    return text().contains(words);
  }

  StartupException failure(String what) {
    if (says("No space left on device")) {
      return new StartupException(
          what + ": the disk is full; free some space, or set SANDBOXER_HOME to another disk");
    }
    if (says("postmaster.pid\" already exists") || says("is still in use")) {
      return new StartupException(
          what + ": another PostgreSQL server uses it; stop that one first. " + lastLines());
    }
    return new StartupException("%s: %s (see %s)".formatted(what, lastLines(), file));
  }

  private String lastLines() {
    return text()
        .lines()
        .filter(line -> line.matches("(?i).*\\b(fatal|panic|error|hint|unshare|setpriv|initdb):.*"))
        .reduce((a, b) -> a + "; " + b)
        .orElse("it said nothing");
  }

  private String text() {
    try {
      byte[] all = Files.readAllBytes(file);
      int start = (int) Math.min(from, all.length);
      return new String(all, start, all.length - start, StandardCharsets.UTF_8);
    } catch (IOException e) {
      return "its log cannot be read: " + e;
    }
  }
}
