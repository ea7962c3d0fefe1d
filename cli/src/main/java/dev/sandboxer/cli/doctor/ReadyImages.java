package dev.sandboxer.cli.doctor;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The images of the ready profiles, and the daemon that a container is tried with.
 *
 * @param names of the images
 */
record ReadyImages(List<String> names, Path boxd) {
  private static final String KEY = "image:";

  /**
   * Those of a distribution; none if it is not built.
   *
   * @param dist its folder
   */
  static ReadyImages of(String dist) throws IOException {
    String machine = System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64";
    Path boxd = Path.of(dist, "boxd", "linux-" + machine, "boxd").toAbsolutePath();
    Path folder = Path.of(dist, "profiles");
    if (dist.isEmpty() || !Files.isDirectory(folder)) {
      return new ReadyImages(List.of(), boxd);
    }
    try (Stream<Path> files = Files.list(folder)) {
      return new ReadyImages(files.sorted().flatMap(ReadyImages::images).toList(), boxd);
    }
  }

  private static Stream<String> images(Path profile) {
    try {
      return Files.readAllLines(profile).stream()
          .filter(line -> line.startsWith(KEY))
          .map(line -> line.substring(KEY.length()).strip());
    } catch (IOException e) {
      return Stream.of();
    }
  }

  /** The first that an engine has; empty if it has none, or none can be tried. */
  String presentIn(EngineSocket engine) throws IOException {
    if (!Files.isExecutable(boxd)) {
      return "";
    }
    for (String name : names) {
      if (engine.get("/images/" + URLEncoder.encode(name, StandardCharsets.UTF_8) + "/json").ok()) {
        return name;
      }
    }
    return "";
  }
}
