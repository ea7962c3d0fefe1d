package dev.sandboxer.ext.docker;

import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionConfig;
import dev.sandboxer.spi.ExtensionContext;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.image.ImagePolicy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The operator's settings: {@code SANDBOXER_EXT_DOCKER_HOST}, for which the platform also takes
 * {@code SANDBOXER_DOCKER_HOST}, and {@code config} of extension.yaml.
 *
 * @param socket of the Engine
 * @param timeout how long the Engine may take to answer a request
 * @param images which may be used, and when they are fetched
 * @param socketVolume where the Engine finds the sockets' folder, empty for the same path as here
 */
record DockerConfig(
    Path socket, Duration timeout, ImagePolicy images, Optional<SocketVolume> socketVolume) {

  /** The key of the Engine's socket among the extension's settings. */
  static final String HOST = "host";

  private static final String DEFAULT_HOST = "unix:///var/run/docker.sock";
  private static final Set<String> KEYS =
      Set.of("timeout_seconds", "pull", "images", "socket_volume", "socket_folder");

  /**
   * A named volume that this process has mounted as well.
   *
   * @param name of the volume
   * @param mountedAt where it is mounted here
   */
  record SocketVolume(String name, Path mountedAt) {}

  static DockerConfig of(ExtensionConfig config, ExtensionContext context)
      throws ExtensionException {
    Set<String> unknown = new TreeSet<>(config.values().keySet());
    unknown.removeAll(KEYS);
    if (!unknown.isEmpty()) {
      throw wrong("config has " + unknown + "; it may have " + new TreeSet<>(KEYS));
    }
    return new DockerConfig(
        socket(context.setting(HOST)),
        timeout(config.get("timeout_seconds", "60")),
        ImagePolicy.of(config),
        socketVolume(config));
  }

  private static Path socket(String setting) throws ExtensionException {
    return EngineAddress.socket(
        setting.isBlank() ? DEFAULT_HOST : setting, "SANDBOXER_DOCKER_HOST");
  }

  private static Duration timeout(String text) throws ExtensionException {
    if (!text.matches("[1-9][0-9]{0,2}")) {
      throw wrong("config.timeout_seconds is '" + text + "': 1 to 999");
    }
    return Duration.ofSeconds(Long.parseLong(text));
  }

  private static Optional<SocketVolume> socketVolume(ExtensionConfig config)
      throws ExtensionException {
    String name = config.get("socket_volume", "");
    String folder = config.get("socket_folder", "");
    if (name.isBlank() != folder.isBlank()) {
      throw wrong(
          "config.socket_volume and config.socket_folder belong together: the volume's name, and"
              + " where it is mounted here");
    }
    if (name.isBlank()) {
      return Optional.empty();
    }
    if (!Path.of(folder).isAbsolute()) {
      throw wrong("config.socket_folder is '" + folder + "': it must be an absolute path");
    }
    return Optional.of(new SocketVolume(name, Path.of(folder).normalize()));
  }

  static ExtensionException wrong(String message) {
    return new ExtensionException(ErrorCode.VALIDATION, message);
  }
}
