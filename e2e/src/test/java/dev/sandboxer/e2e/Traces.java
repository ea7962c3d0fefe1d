package dev.sandboxer.e2e;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Where a text stands: database, its log and the platform's, and the arguments of processes. */
final class Traces {

  private Traces() {}

  static List<String> of(Platform platform, String text) throws IOException {
    List<String> places = new ArrayList<>();
    try (Stream<Path> files = Files.walk(platform.home())) {
      files
          .filter(Files::isRegularFile)
          .filter(file -> !file.startsWith(platform.home().resolve("secrets")))
          .filter(file -> contains(file, text))
          .map(Path::toString)
          .forEach(places::add);
    }
    try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
      processes
          .map(process -> process.resolve("cmdline"))
          .filter(file -> contains(file, text))
          .map(Path::toString)
          .forEach(places::add);
    }
    return places;
  }

  private static boolean contains(Path file, String text) {
    try {
      return new String(Files.readAllBytes(file), ISO_8859_1).contains(text);
    } catch (IOException e) {
      return false; // it was only there for a moment
    }
  }
}
