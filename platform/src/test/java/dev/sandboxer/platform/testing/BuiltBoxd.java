package dev.sandboxer.platform.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** boxd, built from the sources as they are; Go's own cache makes it quick. */
public final class BuiltBoxd {

  private static final Path BINARY = Path.of("target", "boxd").toAbsolutePath();

  static {
    try {
      // Another process may run the one that is there.
      Path fresh = Files.createTempFile(BINARY.getParent(), "boxd", "");
      Process build =
          new ProcessBuilder("go", "build", "-o", fresh.toString(), "./cmd/boxd")
              .directory(Path.of("..", "boxd").toFile())
              .inheritIO()
              .start();
      if (build.onExit().join().exitValue() != 0) {
        throw new IllegalStateException("boxd does not build");
      }
      Files.move(fresh, BINARY, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private BuiltBoxd() {}

  /**
   * Where it is.
   *
   * @return the program, for this machine
   */
  public static Path binary() {
    return BINARY;
  }

  /**
   * This machine's.
   *
   * @return in Go's words
   */
  public static String architecture() {
    return System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64";
  }
}
