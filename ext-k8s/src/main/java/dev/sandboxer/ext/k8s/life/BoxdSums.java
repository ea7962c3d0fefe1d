package dev.sandboxer.ext.k8s.life;

import dev.sandboxer.spi.Daemon;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.FileSums;
import dev.sandboxer.spi.Outcome;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** What the platform's boxd is, so that an image with another one is noticed. Thread-safe. */
final class BoxdSums {

  private static final List<String> ARCHITECTURES = List.of("amd64", "arm64");

  private final FileSums files = new FileSums();

  /** SHA-256 of each architecture's that the platform has. */
  Set<String> of(Daemon daemon) throws ExtensionException {
    Set<String> sums = new TreeSet<>();
    IllegalArgumentException missing = new IllegalArgumentException("no architecture");
    for (String architecture : ARCHITECTURES) {
      try {
        sums.add(files.sha256(daemon.binary("linux", architecture)));
      } catch (IllegalArgumentException e) {
        missing = e;
      } catch (IOException e) {
        throw unavailable("boxd cannot be read: " + e.getMessage(), e);
      }
    }
    if (sums.isEmpty()) {
      throw unavailable("the platform has no boxd: " + missing.getMessage(), missing);
    }
    return sums;
  }

  private static ExtensionException unavailable(String message, Exception cause) {
    return new ExtensionException(ErrorCode.UNAVAILABLE, Outcome.NOTHING_CREATED, message, cause);
  }
}
