package dev.sandboxer.bench.subject;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Properties;

/**
 * What is measured.
 *
 * @param folder the distribution
 * @param script the command that starts and ends the platform, as a user would call it
 * @param nsjail the nsjail that the platform uses
 */
public record Distribution(Path folder, Path script, Path nsjail) {

  /**
   * The one that the properties {@code bench.dist}, {@code bench.script} and {@code bench.nsjail}
   * name.
   *
   * @throws IllegalArgumentException if one is missing or leads nowhere
   */
  public static Distribution of(Properties properties) {
    return new Distribution(
        path(properties, "bench.dist"),
        path(properties, "bench.script"),
        path(properties, "bench.nsjail"));
  }

  /** boxd for this machine. */
  public Path boxd() {
    String machine = System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64";
    return folder.resolve("boxd/linux-" + machine + "/boxd");
  }

  private static Path path(Properties properties, String name) {
    return Optional.ofNullable(properties.getProperty(name))
        .map(Path::of)
        .filter(Files::exists)
        .map(Path::toAbsolutePath)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "%s is '%s', which is not there: call ./sandboxer bench"
                        .formatted(name, properties.getProperty(name))));
  }
}
