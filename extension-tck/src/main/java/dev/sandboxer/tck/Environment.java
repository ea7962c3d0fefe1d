package dev.sandboxer.tck;

import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.Limit;
import dev.sandboxer.spi.SandboxExtensionProvider;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What the suite must know of an extension and of the machine that it is tried on. Each method
 * returns a copy with one thing changed.
 *
 * @param provider the extension's entry; it must also stand in {@code META-INF/services}
 * @param config the settings below {@code config} in {@code extension.yaml}
 * @param settings what {@code ExtensionContext.setting} answers, by the keys that the descriptor
 *     declares
 * @param host where sandboxes are made
 * @param image that a sandbox is made from, empty where the backend needs none
 * @param options of the profile that a sandbox is made by
 * @param bestEffort declared limits that this machine cannot enforce
 * @param classPath the extension's classes and libraries
 * @param boxd a folder with {@code linux-<arch>/boxd}, or one boxd file; empty for the one of the
 *     SDK
 * @param folder below which the homes of the tried platforms are made; its path must be short, as
 *     sockets lie in it
 * @param patience how long any one call may take before it counts as hanging
 */
public record Environment(
    Class<? extends SandboxExtensionProvider> provider,
    Map<String, String> config,
    Map<String, String> settings,
    HostRef host,
    Optional<String> image,
    Map<String, Object> options,
    Set<Limit> bestEffort,
    List<Path> classPath,
    Optional<Path> boxd,
    Path folder,
    Duration patience) {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Keeps immutable copies. */
  public Environment {
    config = Map.copyOf(config);
    settings = Map.copyOf(settings);
    options = Map.copyOf(options);
    bestEffort = Set.copyOf(bestEffort);
    classPath = List.copyOf(classPath);
  }

  /**
   * The surroundings of most extensions: this machine, no image, the test's class path, a minute
   * for a call.
   *
   * @param provider the extension's entry
   * @return to be changed where it does not fit
   */
  public static Environment of(Class<? extends SandboxExtensionProvider> provider) {
    return new Environment(
        provider,
        Map.of(),
        Map.of(),
        new HostRef("local", HostRef.LOCAL),
        Optional.empty(),
        Map.of(),
        Set.of(),
        ClassPath.ofThisTest(),
        Optional.empty(),
        Path.of(System.getProperty("java.io.tmpdir")),
        PATIENCE);
  }

  /**
   * With one setting of {@code config} in {@code extension.yaml}.
   *
   * @param name of the setting
   * @param value its value
   * @return a copy
   */
  public Environment config(String name, String value) {
    return with(add(config, name, value), settings, host, image, bestEffort, classPath);
  }

  /**
   * With what {@code ExtensionContext.setting} answers for one key.
   *
   * @param name a key that the descriptor declares
   * @param value its value
   * @return a copy
   */
  public Environment setting(String name, String value) {
    return with(config, add(settings, name, value), host, image, bestEffort, classPath);
  }

  /**
   * With another host.
   *
   * @param other where sandboxes are made
   * @return a copy
   */
  public Environment host(HostRef other) {
    return with(config, settings, other, image, bestEffort, classPath);
  }

  /**
   * With an image.
   *
   * @param name as the backend knows it; it should be there already
   * @return a copy
   */
  public Environment image(String name) {
    return with(config, settings, host, Optional.of(name), bestEffort, classPath);
  }

  /**
   * With one of {@code options} of a profile.
   *
   * @param name of the option
   * @param value as {@link dev.sandboxer.spi.SandboxSpec#options()} has it
   * @return a copy
   */
  public Environment option(String name, Object value) {
    Map<String, Object> more = new HashMap<>(options);
    more.put(name, value);
    return new Environment(
        provider,
        config,
        settings,
        host,
        image,
        more,
        bestEffort,
        classPath,
        boxd,
        folder,
        patience);
  }

  /**
   * With limits that are declared but that this machine cannot enforce, such as without root.
   *
   * @param limits to ask for as best effort
   * @return a copy
   */
  public Environment bestEffort(Set<Limit> limits) {
    return with(config, settings, host, image, limits, classPath);
  }

  /**
   * With another class path than the test's.
   *
   * @param path the extension's classes and libraries
   * @return a copy
   */
  public Environment classPath(List<Path> path) {
    return with(config, settings, host, image, bestEffort, path);
  }

  /**
   * With another boxd than that of the SDK.
   *
   * @param place a folder with {@code linux-<arch>/boxd}, or one boxd file
   * @return a copy
   */
  public Environment boxd(Path place) {
    return new Environment(
        provider,
        config,
        settings,
        host,
        image,
        options,
        bestEffort,
        classPath,
        Optional.of(place),
        folder,
        patience);
  }

  /**
   * With another folder for the homes.
   *
   * @param other with a short path
   * @return a copy
   */
  public Environment folder(Path other) {
    return new Environment(
        provider,
        config,
        settings,
        host,
        image,
        options,
        bestEffort,
        classPath,
        boxd,
        other,
        patience);
  }

  /**
   * With another patience.
   *
   * @param other how long any one call may take
   * @return a copy
   */
  public Environment patience(Duration other) {
    return new Environment(
        provider,
        config,
        settings,
        host,
        image,
        options,
        bestEffort,
        classPath,
        boxd,
        folder,
        other);
  }

  private Environment with(
      Map<String, String> newConfig,
      Map<String, String> newSettings,
      HostRef newHost,
      Optional<String> newImage,
      Set<Limit> newBestEffort,
      List<Path> newClassPath) {
    return new Environment(
        provider,
        newConfig,
        newSettings,
        newHost,
        newImage,
        options,
        newBestEffort,
        newClassPath,
        boxd,
        folder,
        patience);
  }

  private static Map<String, String> add(Map<String, String> to, String name, String value) {
    Map<String, String> more = new HashMap<>(to);
    more.put(name, value);
    return more;
  }
}
