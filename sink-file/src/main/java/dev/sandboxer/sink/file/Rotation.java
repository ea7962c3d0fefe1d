package dev.sandboxer.sink.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Full files: {@code events.jsonl.000001} is the oldest one that there was. */
record Rotation(FileSettings settings) {

  /** Gives the file the next number, and removes the oldest beyond what is kept. */
  void rotate() throws IOException {
    Path path = settings.path();
    List<Path> full = full();
    long last = full.isEmpty() ? 0 : number(full.getLast());
    Files.move(path, path.resolveSibling("%s.%06d".formatted(path.getFileName(), last + 1)));
    Folders.force(path);
    int kept = settings.keepFiles();
    if (kept > 0) {
      for (Path old : full.subList(0, Math.max(0, full.size() + 1 - kept))) {
        Files.deleteIfExists(old);
      }
    }
  }

  private List<Path> full() throws IOException {
    Path folder = Objects.requireNonNull(settings.path().getParent(), "folder");
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> number(file) > 0)
          .sorted((one, other) -> Long.compare(number(one), number(other)))
          .toList();
    }
  }

  private long number(Path file) {
    Pattern name =
        Pattern.compile(Pattern.quote(settings.path().getFileName() + ".") + "(\\d{6,15})");
    Matcher found = name.matcher(file.getFileName().toString());
    return found.matches() ? Long.parseLong(found.group(1)) : 0;
  }
}
