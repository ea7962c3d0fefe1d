package dev.sandboxer.e2e;

import dev.sandboxer.testing.GuideClasses;
import dev.sandboxer.testing.faulty.FaultyBackend;
import dev.sandboxer.testing.faulty.Way;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A platform with faulty backends dropped in as jars, which profiles name as candidates. */
final class FaultyPlatform {

  private final List<String> names;
  private final Way way;

  FaultyPlatform(String... names) {
    this(Way.SOCKET, names);
  }

  /**
   * Describes one.
   *
   * @param way by which the platform reaches the sandboxes
   */
  FaultyPlatform(Way way, String... names) {
    this.way = way;
    this.names = List.of(names);
  }

  /** Starts one with a new home. */
  Platform start() {
    return start(Map.of());
  }

  /** Starts one with a new home. */
  Platform start(Map<String, String> settings) {
    try {
      Path home = Prepared.home();
      dropInto(home);
      return Platform.startThrough(List.of(), home, Platform.dist(), settings);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts a further node with the same backends: an empty home with a copy of the master key. */
  Platform join(Platform other, Map<String, String> settings) {
    try {
      Path home = Platform.homeLike(other);
      dropInto(home);
      return Platform.startThrough(List.of(), home, Platform.dist(), settings);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void dropInto(Path home) throws IOException {
    Path sources = Files.createTempDirectory("sbxf");
    Path classes = GuideClasses.into(sources);
    Path extensions =
        Files.createDirectory(
            home.resolve("extensions"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    for (String name : names) {
      new FaultyBackend(name, home).dropInto(extensions, classes, way);
    }
    Platform.remove(sources);
  }

  FaultyBackend backend(Platform platform, String name) {
    return new FaultyBackend(name, platform.home());
  }

  /** The profile that {@link #routed} makes. */
  String profile(String base) {
    return "routed-" + base;
  }

  /**
   * Makes a profile like a shipped one whose candidates are the faulty backends and then others.
   */
  void routed(Platform platform, String base, String... others) {
    String candidates =
        String.join(
            ", ",
            Stream.concat(names.stream().map(name -> "ext." + name), Stream.of(others)).toList());
    platform.profile(
        profile(base),
        """
        id: profile.%s
        version: 1
        extends: %s@2
        routing: {strategy: explicit, candidates: [%s]}
        """
            .formatted(profile(base), base, candidates));
  }

  /** Makes a profile of the faulty backends alone. */
  void routed(Platform platform) {
    platform.profile(
        profile("faulty"),
        """
        id: profile.%s
        version: 1
        routing: {strategy: explicit, candidates: [%s]}
        best_effort: [uid, memory, pids, cpus, workspace, tmp, open_files]
        """
            .formatted(
                profile("faulty"),
                String.join(", ", names.stream().map(name -> "ext." + name).toList())));
  }
}
