package dev.sandboxer.e2e;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * A value of a secret, and where it stands although it must not. The secrets' own files do not
 * count.
 */
record Canary(String value) {

  static Canary next() {
    return new Canary("canary-" + UUID.randomUUID());
  }

  /** All places. */
  List<String> found(Platform platform) {
    List<String> places = new ArrayList<>(in(platform.home()));
    places.addAll(onTheMachine());
    return places;
  }

  /** Files of a home, such as those of its database and its logs. */
  List<String> in(Path home) {
    try {
      // From its input: its arguments are searched too.
      Process grep =
          new ProcessBuilder("grep", "-rlaF", "--exclude-dir=secrets", "-f", "-", home.toString())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      try (var input = grep.getOutputStream()) {
        input.write(value.getBytes(UTF_8));
      }
      return new String(grep.getInputStream().readAllBytes(), UTF_8).lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Arguments of processes, and what the engine says of its containers. */
  List<String> onTheMachine() {
    List<String> places = new ArrayList<>();
    try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
      processes
          .map(process -> process.resolve("cmdline"))
          .filter(this::isIn)
          .map(Path::toString)
          .forEach(places::add);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Backends.docker().ifPresent(engine -> places.addAll(inspected(engine)));
    return places;
  }

  private List<String> inspected(Engine engine) {
    return engine.containers("").keySet().stream()
        .filter(id -> engine.container(id).toString().contains(value))
        .map(id -> "container " + id)
        .toList();
  }

  private boolean isIn(Path file) {
    try {
      return new String(Files.readAllBytes(file), ISO_8859_1).contains(value);
    } catch (IOException e) {
      return false; // it was only there for a moment
    }
  }
}
