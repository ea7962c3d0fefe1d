package dev.sandboxer.spi;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * SHA-256 sums of files such as boxd's, for backends that bring it to another machine. A file is
 * read again only when it has changed. Thread-safe.
 */
public final class FileSums {

  private static final int BUFFER = 1 << 16;

  private record Sum(FileTime changed, String sum) {}

  private final Map<Path, Sum> known = new ConcurrentHashMap<>();

  /** Knows no file yet. */
  public FileSums() {}

  /**
   * The sum of a file.
   *
   * @param file of any size
   * @return SHA-256 in 64 lower-case hexadecimal digits
   * @throws IOException if it cannot be read
   */
  public String sha256(Path file) throws IOException {
    FileTime changed = Files.getLastModifiedTime(file);
    Sum sum = known.get(file);
    if (sum == null || !sum.changed().equals(changed)) {
      sum = new Sum(changed, read(file));
      known.put(file, sum);
    }
    return sum.sum();
  }

  private static String read(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      byte[] buffer = new byte[BUFFER];
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        digest.update(buffer, 0, count);
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
