package dev.sandboxer.ext.k8s.life;

import dev.sandboxer.spi.Daemon;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/** What the platform's boxd is, so that an image with another one is noticed. Thread-safe. */
final class BoxdSums {

  private static final List<String> ARCHITECTURES = List.of("amd64", "arm64");

  private record Version(Path file, FileTime changed) {}

  private final Map<Version, String> known = new ConcurrentHashMap<>();

  /** SHA-256 of each architecture's that the platform has. */
  Set<String> of(Daemon daemon) throws ExtensionException {
    Set<String> sums = new TreeSet<>();
    IllegalArgumentException missing = new IllegalArgumentException("no architecture");
    for (String architecture : ARCHITECTURES) {
      try {
        sums.add(sum(daemon.binary("linux", architecture)));
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

  private String sum(Path file) throws IOException {
    Version version = new Version(file, Files.getLastModifiedTime(file));
    String sum = known.get(version);
    if (sum == null) {
      sum = digest(Files.readAllBytes(file));
      known.put(version, sum);
    }
    return sum;
  }

  private static String digest(byte[] content) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static ExtensionException unavailable(String message, Exception cause) {
    return new ExtensionException(ErrorCode.UNAVAILABLE, Outcome.NOTHING_CREATED, message, cause);
  }
}
