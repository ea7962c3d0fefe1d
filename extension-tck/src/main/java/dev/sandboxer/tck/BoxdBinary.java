package dev.sandboxer.tck;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The boxd that is placed: from the environment, else from the system property {@code
 * sandboxer.boxd}, else from the SDK's jar, unpacked into a folder.
 */
final class BoxdBinary {
  private final Optional<Path> place;
  private final Path unpacked;

  BoxdBinary(Optional<Path> place, Path unpacked) {
    this.place = place.or(BoxdBinary::property);
    this.unpacked = unpacked;
  }

  private static Optional<Path> property() {
    return Optional.ofNullable(System.getProperty("sandboxer.boxd")).map(Path::of);
  }

  static String hostArchitecture() {
    String name = System.getProperty("os.arch");
    return switch (name) {
      case "x86_64" -> "amd64";
      case "aarch64" -> "arm64";
      default -> name;
    };
  }

  Path find(String os, String arch) {
    String name = os + "-" + arch + "/boxd";
    Path found =
        place
            .map(p -> Files.isRegularFile(p) ? p : p.resolve(name))
            .orElseGet(() -> unpack(name))
            .toAbsolutePath()
            .normalize();
    if (!Files.isExecutable(found)) {
      throw new IllegalArgumentException("there is no boxd for " + os + "-" + arch + ": " + found);
    }
    return found;
  }

  private Path unpack(String name) {
    Path file = unpacked.resolve(name.replace('/', '-'));
    try (@Nullable InputStream packed = resource(name)) {
      if (packed != null && Files.notExists(file)) {
        unpack(packed, file);
      }
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Several suites may want it at the same time: whoever sees the file sees all of it. */
  private void unpack(InputStream packed, Path file) throws IOException {
    Path part = Files.createTempFile(unpacked, "boxd", ".part");
    Files.copy(packed, part, StandardCopyOption.REPLACE_EXISTING);
    Files.setPosixFilePermissions(part, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
  }

  private static @Nullable InputStream resource(String name) {
    return BoxdBinary.class.getResourceAsStream("/dev/sandboxer/boxd/" + name);
  }
}
