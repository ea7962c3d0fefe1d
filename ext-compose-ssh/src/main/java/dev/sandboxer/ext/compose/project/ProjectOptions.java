package dev.sandboxer.ext.compose.project;

import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a profile says of its project.
 *
 * @param archived whether files come from the archive that {@code options.project} stands for
 * @param files of the profile itself, by path in the project
 * @param file the one that Compose reads
 * @param service into whose network, volumes and image boxd goes
 * @param env values of variables in the file
 * @param portsInside whether ports that the file publishes on the host are left inside instead
 * @param ports further numbers of the platform's door to ports, with {@code service} or {@code
 *     service:port}
 * @param replace whether boxd takes the service's place
 * @param ready what must answer before the sandbox is ready
 */
public record ProjectOptions(
    boolean archived,
    Map<String, String> files,
    String file,
    String service,
    Map<String, String> env,
    boolean portsInside,
    Map<String, String> ports,
    boolean replace,
    List<ReadyProbe> ready) {

  private static final Pattern PLACE =
      Pattern.compile("(?!\\.\\.?(/|$))[^/\\p{Cntrl}]+(/(?!\\.\\.?(/|$))[^/\\p{Cntrl}]+)*");

  /**
   * Reads the options, which the extension's schema describes.
   *
   * @param options of the profile
   * @return what they say
   * @throws ExtensionException VALIDATION if they cannot be right
   */
  public static ProjectOptions of(Map<String, Object> options) throws ExtensionException {
    Map<String, String> files = texts(options.get("files"));
    String file = String.valueOf(options.getOrDefault("file", "compose.yaml"));
    boolean archived = options.get("project") != null;
    if (options.get("service") == null || (!archived && files.isEmpty())) {
      throw wrong("options.service, and options.project or options.files, are needed");
    }
    for (String name : files.keySet()) {
      inside("options.files", name);
    }
    inside("options.file", file);
    String service = options.get("service").toString();
    return new ProjectOptions(
        archived,
        files,
        file,
        service,
        texts(options.get("env")),
        options.get("ports") instanceof Map<?, ?> || "inside".equals(options.get("ports")),
        texts(options.get("ports")),
        "replace".equals(options.get("attach")),
        ReadyProbe.of(options.get("ready"), service));
  }

  private static Map<String, String> texts(@Nullable Object value) {
    Map<String, String> texts = new TreeMap<>();
    if (value instanceof Map<?, ?> map) {
      map.forEach((name, text) -> texts.put(String.valueOf(name), String.valueOf(text)));
    }
    return texts;
  }

  static boolean isInside(String place) {
    return PLACE.matcher(place).matches();
  }

  private static void inside(String field, String place) throws ExtensionException {
    if (!isInside(place)) {
      throw wrong("%s: '%s' is not a path within the project".formatted(field, place));
    }
  }

  /**
   * The variables as a file that Compose reads.
   *
   * @return one a line
   * @throws ExtensionException VALIDATION for a value that such a file cannot hold
   */
  String envFile() throws ExtensionException {
    StringBuilder lines = new StringBuilder();
    for (Map.Entry<String, String> one : env.entrySet()) {
      if (one.getValue().matches("(?s).*['\\n\\r\\x00].*")) {
        throw wrong(
            "options.env.%s: a value must have no ' and no line break".formatted(one.getKey()));
      }
      lines.append(one.getKey()).append("='").append(one.getValue()).append("'\n");
    }
    return lines.toString();
  }

  static ExtensionException wrong(String message) {
    return new ExtensionException(ErrorCode.VALIDATION, message);
  }
}
