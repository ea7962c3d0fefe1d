package dev.sandboxer.cli.sandbox;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.ByteSize;
import dev.sandboxer.cli.Failure;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A mount in the words of {@code docker run --mount}. Paths are the platform's to check, because
 * they are paths of its host.
 */
final class MountOption {
  private static final Map<String, String> SHORT =
      Map.of("src", "source", "dst", "target", "destination", "target", "ro", "readonly");
  private static final Set<String> OF_BIND = Set.of("type", "source", "target", "readonly");
  private static final Set<String> OF_VOLUME = OF_BIND;
  private static final Set<String> OF_COPY =
      Set.of("type", "source", "target", "readonly", "sync-interval");
  private static final Set<String> OF_TMPFS = Set.of("type", "target", "tmpfs-size");

  private final String text;
  private final Map<String, String> fields = new LinkedHashMap<>();

  private MountOption(String text) {
    this.text = text;
  }

  /** Reads what stands after {@code --mount}; anything unknown is a wrong call. */
  static MountOption parse(String text) {
    MountOption mount = new MountOption(text);
    List.of(text.split(",", -1)).forEach(mount::add);
    mount.check();
    return mount;
  }

  private void add(String field) {
    String[] parts = field.split("=", 2);
    String name = SHORT.getOrDefault(parts[0], parts[0]);
    if (parts.length == 1 && !name.equals("readonly")) {
      throw wrong("'" + field + "' must be NAME=VALUE");
    }
    if (fields.put(name, parts.length == 1 ? "true" : parts[1]) != null) {
      throw wrong("'" + name + "' stands twice");
    }
  }

  private void check() {
    Set<String> known =
        switch (fields.getOrDefault("type", "")) {
          case "bind" -> OF_BIND;
          case "copy" -> OF_COPY;
          case "volume" -> OF_VOLUME;
          case "tmpfs" -> OF_TMPFS;
          case "" -> throw wrong("'type' is missing: bind, copy, volume or tmpfs");
          default ->
              throw wrong("type '" + fields.get("type") + "' must be bind, copy, volume or tmpfs");
        };
    for (String name : fields.keySet()) {
      if (!known.contains(name)) {
        throw wrong(
            "type %s knows no '%s'; it knows %s"
                .formatted(fields.get("type"), name, known.stream().sorted().toList()));
      }
    }
  }

  /** Writes it as a create has it. */
  void putInto(ObjectNode mount) {
    switch (must("type")) {
      case "tmpfs" -> mount.put("tmpfs", size(must("tmpfs-size")));
      case "volume" -> mount.put("volume", must("source")).put("mode", mode());
      case "copy" -> copy(mount);
      default -> mount.put("host_path", must("source")).put("mode", mode());
    }
    mount.put("mount_path", must("target"));
  }

  private void copy(ObjectNode mount) {
    mount.put("host_path", must("source")).put("mode", mode()).put("delivery", "copy");
    if (fields.containsKey("sync-interval")) {
      mount.put("sync_interval", must("sync-interval"));
    }
  }

  private String must(String name) {
    @Nullable String value = fields.get(name);
    return Optional.ofNullable(value).orElseThrow(() -> wrong("'" + name + "' is missing"));
  }

  private String mode() {
    return readOnly() ? "ro" : "rw";
  }

  private boolean readOnly() {
    String value = fields.getOrDefault("readonly", "false");
    return switch (value) {
      case "true", "1" -> true;
      case "false", "0" -> false;
      default -> throw wrong("readonly '" + value + "' must be true or false");
    };
  }

  private String size(String value) {
    try {
      return ByteSize.of(value).toString();
    } catch (IllegalArgumentException e) {
      throw wrong("tmpfs-size '" + value + "' " + e.getMessage());
    }
  }

  private Failure wrong(String why) {
    return Failure.usage(
        "--mount %s: %s; such as type=bind,source=/srv/data,target=/data,readonly"
            .formatted(text, why));
  }
}
