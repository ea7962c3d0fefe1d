package dev.sandboxer.ext.nsjail;

import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionConfig;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.image.ImagePolicy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The operator's settings of images: {@code config} of extension.yaml.
 *
 * @param policy which images may be used, and when they are fetched
 * @param folder where the operator's own images are, named {@code localhost/NAME}
 * @param maxBytes of one image, unpacked
 * @param maxFiles of one image
 * @param storeBytes of all images; those that were not used for longest go first
 * @param unused how long an image is kept that nobody uses
 */
record ImageConfig(
    ImagePolicy policy,
    Path folder,
    long maxBytes,
    long maxFiles,
    long storeBytes,
    Duration unused) {

  private static final Set<String> KEYS =
      Set.of(
          "pull",
          "images",
          "images_folder",
          "image_max_size",
          "image_max_files",
          "images_max_size",
          "images_unused_days");
  private static final Pattern SIZE = Pattern.compile("([1-9][0-9]{0,6})(Mi|Gi|Ti)");
  private static final Map<String, Integer> SHIFTS = Map.of("Mi", 20, "Gi", 30, "Ti", 40);

  static ImageConfig of(ExtensionConfig config, Path state) throws ExtensionException {
    Set<String> unknown = new TreeSet<>(config.values().keySet());
    unknown.removeAll(KEYS);
    if (!unknown.isEmpty()) {
      throw wrong(" has " + unknown + "; it may have " + new TreeSet<>(KEYS));
    }
    return new ImageConfig(
        ImagePolicy.of(config),
        folder(config.get("images_folder", state.resolve("local-images").toString())),
        size(config, "image_max_size", "10Gi"),
        number(config, "image_max_files", "500000", 50_000_000),
        size(config, "images_max_size", "20Gi"),
        Duration.ofDays(number(config, "images_unused_days", "14", 3650)));
  }

  private static Path folder(String text) throws ExtensionException {
    Path folder = Path.of(text);
    if (!folder.isAbsolute()) {
      throw wrong(".images_folder is '" + text + "': it must be an absolute path");
    }
    return folder.normalize();
  }

  private static long size(ExtensionConfig config, String key, String unset)
      throws ExtensionException {
    String text = config.get(key, unset);
    Matcher size = SIZE.matcher(text);
    if (!size.matches()) {
      throw wrong("." + key + " is '" + text + "': a number with Mi, Gi or Ti, such as " + unset);
    }
    return Long.parseLong(size.group(1)) << SHIFTS.getOrDefault(size.group(2), 0);
  }

  private static long number(ExtensionConfig config, String key, String unset, long most)
      throws ExtensionException {
    String text = config.get(key, unset);
    if (!text.matches("[1-9][0-9]{0,8}") || Long.parseLong(text) > most) {
      throw wrong("." + key + " is '" + text + "': 1 to " + most);
    }
    return Long.parseLong(text);
  }

  private static ExtensionException wrong(String message) {
    return new ExtensionException(ErrorCode.VALIDATION, "config" + message);
  }
}
