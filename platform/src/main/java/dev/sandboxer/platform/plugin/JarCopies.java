package dev.sandboxer.platform.plugin;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The jars as they were at the start, in a private folder: classes are loaded from there, also late
 * ones, so that whoever replaces a jar under a running platform breaks nothing that runs.
 */
public final class JarCopies {

  private final Path place;
  private final Map<Path, Path> copies = new HashMap<>();

  private JarCopies(Path place) {
    this.place = place;
  }

  /**
   * Empties a folder, or makes it.
   *
   * @param place private to this platform
   * @return to copy into it
   * @throws IOException if it cannot be written
   */
  public static JarCopies in(Path place) throws IOException {
    if (Files.isDirectory(place)) {
      try (Stream<Path> old = Files.walk(place)) {
        for (Path path : old.sorted((a, b) -> b.compareTo(a)).toList()) {
          Files.delete(path);
        }
      }
    }
    return new JarCopies(Files.createDirectory(place));
  }

  /**
   * Copies the jars of a folder.
   *
   * @param folder of one extension or kind
   * @param jars in it
   * @return a folder with the same jars, by the same names
   * @throws IOException if one cannot be read, or the copy cannot be written
   */
  public Path of(Path folder, List<Path> jars) throws IOException {
    Path copy =
        Files.createDirectory(
            place.resolve("%d-%s".formatted(copies.size(), folder.getFileName())));
    for (Path jar : jars) {
      Files.copy(jar, copy.resolve(jar.getFileName()));
    }
    copies.put(folder, copy);
    return copy;
  }

  /**
   * Whether the jars of a folder are others now than at the start.
   *
   * @param folder that was copied
   * @return true as well if that cannot be seen, as in the middle of a replacement
   */
  public boolean changed(Path folder) {
    Path copy = copies.get(folder);
    if (copy == null) {
      return false;
    }
    try {
      List<Path> now = jars(folder);
      List<Path> then = jars(copy);
      if (now.size() != then.size()) {
        return true;
      }
      for (int i = 0; i < now.size(); i++) {
        boolean sameName = now.get(i).getFileName().equals(then.get(i).getFileName());
        if (!sameName || Files.mismatch(now.get(i), then.get(i)) >= 0) {
          return true;
        }
      }
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  private static List<Path> jars(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(".jar")).sorted().toList();
    }
  }
}
