package dev.sandboxer.testing.faulty;

import dev.sandboxer.testing.GuideClasses;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One faulty backend of a platform: its jar, and the file that says which faults its calls meet.
 *
 * @param name without {@code ext.}
 * @param home of the platform
 */
public record FaultyBackend(String name, Path home) {

  /** How long a call that was given up may still take effect. */
  public static final Duration WINDOW = FaultyProvider.LATE_EFFECTS;

  private static final List<Class<?>> CLASSES =
      List.of(
          FaultyProvider.class,
          FaultyExtension.class,
          Faults.class,
          Fault.class,
          Whim.class,
          Extended.class,
          Way.class,
          AnotherWay.class,
          SocketOpener.class,
          VolumeFiles.class,
          ArchiveFiles.class);

  private static final List<String> NESTED =
      List.of(
          "FaultyExtension$Action",
          "FaultyExtension$1",
          "SocketOpener$SocketBytes",
          "AnotherWay$1");

  /**
   * The id in profiles.
   *
   * @return {@code ext.<name>}
   */
  public String id() {
    return "ext." + name;
  }

  /**
   * Drops the jar into a folder of extensions.
   *
   * @param extensions of a home or a distribution
   * @param classes of the guide, compiled
   * @param way by which the platform reaches its sandboxes
   * @throws IOException if it cannot be written
   */
  public void dropInto(Path extensions, Path classes, Way way) throws IOException {
    Path folder = Files.createDirectories(extensions.resolve(name));
    try (OutputStream out = Files.newOutputStream(folder.resolve(name + ".jar"));
        JarOutputStream jar = new JarOutputStream(out)) {
      GuideClasses.pack(classes, jar);
      for (Class<?> type : CLASSES) {
        own(jar, type.getSimpleName());
      }
      for (String type : NESTED) {
        own(jar, type);
      }
      put(jar, FaultyProvider.NAME, name);
      put(jar, FaultyProvider.WAY, way.name());
      put(
          jar,
          "META-INF/services/dev.sandboxer.spi.SandboxExtensionProvider",
          FaultyProvider.class.getName());
    }
  }

  private static void own(JarOutputStream jar, String type) throws IOException {
    try (InputStream in = FaultyProvider.class.getResourceAsStream(type + ".class")) {
      if (in != null) { // what the compiler makes of a switch differs
        jar.putNextEntry(new JarEntry("dev/sandboxer/testing/faulty/" + type + ".class"));
        in.transferTo(jar);
      }
    }
  }

  private static void put(JarOutputStream jar, String entry, String text) throws IOException {
    jar.putNextEntry(new JarEntry(entry));
    jar.write(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Each call of this name meets this fault, until the next change; others meet none. */
  public void always(String call, Fault fault) {
    write(Map.of(call, fault.name()));
  }

  /**
   * The first calls of this name since the platform's start meet these faults in turn, and further
   * ones the last.
   */
  public void inTurn(String call, Fault... faults) {
    write(Map.of(call, Stream.of(faults).map(Fault::name).collect(Collectors.joining(","))));
  }

  /** Calls meet faults by chance. */
  public void byChance(long seed, int percent) {
    byChance(seed, percent, Map.of());
  }

  /** Calls meet faults by chance, and the backend does something otherwise than it should. */
  public void byChance(long seed, int percent, Map<Whim, String> whims) {
    Map<String, String> wanted = new HashMap<>();
    wanted.put("seed", Long.toString(seed));
    wanted.put("percent", Integer.toString(percent));
    whims.forEach((whim, value) -> wanted.put(whim.name(), value));
    write(wanted);
  }

  /** All calls succeed, and the backend does something otherwise than it should. */
  public void whim(Whim whim, String value) {
    write(Map.of(whim.name(), value));
  }

  /**
   * The ends that it granted.
   *
   * @param sandbox {@code sb_...}
   * @return in the order of the calls
   */
  public List<Extended> extended(String sandbox) {
    String raw = sandbox.substring("sb_".length());
    return Extended.read(state().resolve(Extended.FILE)).stream()
        .filter(extended -> extended.object().startsWith(raw))
        .toList();
  }

  /** No call meets a fault. */
  public void sound() {
    write(Map.of());
  }

  /** Where each of its volumes is a file. */
  public Path volumes() {
    return state().resolve("volumes");
  }

  /**
   * What its sandboxes were given.
   *
   * @param sandbox {@code sb_...}
   * @param generation of it
   * @return a file with the archive of option {@code project}
   */
  public Path archive(String sandbox, int generation) {
    return state()
        .resolve("archives")
        .resolve(sandbox.substring("sb_".length()) + "-" + generation + ".project");
  }

  private void write(Map<String, String> wanted) {
    Faults.write(state().resolve("faults"), wanted);
  }

  private Path state() {
    return home.resolve("state").resolve(name);
  }
}
