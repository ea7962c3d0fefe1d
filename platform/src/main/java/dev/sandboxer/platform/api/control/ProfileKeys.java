package dev.sandboxer.platform.api.control;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Which key of the profile would change a failure's outcome. */
final class ProfileKeys {

  /** Keys that a backend's message may name, in the order in which they are told. */
  private static final List<String> NAMED =
      List.of(
          "isolation.runtime",
          "isolation.level",
          "network.mode",
          "resources.workspace",
          "resources.memory",
          "resources.pids",
          "resources.cpus",
          "resources.tmp",
          "resources.open_files",
          "mounts",
          "image",
          "best_effort");

  private ProfileKeys() {}

  /**
   * Decides by the failure's code, else by the keys that its message names.
   *
   * @param code of the failure
   * @param message of the failure
   * @return one or more keys, separated by commas; empty where no profile helps
   */
  static Optional<String> of(String code, String message) {
    return switch (code) {
      case "OOM" -> Optional.of("resources.memory");
      case "IMAGE_PULL" -> Optional.of("image");
      case "STORAGE_FULL" -> Optional.of("resources.workspace, resources.tmp");
      case "UNSUPPORTED", "VALIDATION" -> named(message);
      default -> Optional.empty();
    };
  }

  private static Optional<String> named(String message) {
    String keys =
        NAMED.stream()
            .filter(
                key ->
                    Pattern.compile("(?<![\\w.])" + Pattern.quote(key) + "(?![\\w])")
                        .matcher(message)
                        .find())
            .collect(Collectors.joining(", "));
    return keys.isEmpty() ? Optional.empty() : Optional.of(keys);
  }
}
