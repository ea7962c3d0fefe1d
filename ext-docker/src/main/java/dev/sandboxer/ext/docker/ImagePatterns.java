package dev.sandboxer.ext.docker;

import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import java.util.List;

/**
 * Which images may be used. In a pattern {@code *} stands for any text; names are compared in full,
 * as {@code docker.io/library/debian:13}.
 */
final class ImagePatterns {

  private final List<String> patterns;

  private ImagePatterns(List<String> patterns) {
    this.patterns = patterns;
  }

  static ImagePatterns of(List<String> patterns) throws ExtensionException {
    for (String pattern : patterns) {
      if (!pattern.matches("[A-Za-z0-9._/:@*-]+")) {
        throw new ExtensionException(
            ErrorCode.VALIDATION,
            "config.images has the pattern '" + pattern + "': image names with * are allowed");
      }
    }
    return new ImagePatterns(patterns);
  }

  void check(ImageName image) throws ExtensionException {
    if (patterns.stream().noneMatch(pattern -> matches(pattern, image.full()))) {
      throw new ExtensionException(
          ErrorCode.VALIDATION,
          "image %s is not allowed here: in full it is %s, and config.images of ext.docker allows %s"
              .formatted(image.text(), image.full(), patterns));
    }
  }

  /** Linear in the text for each star: the rest after the last star must be its end. */
  private static boolean matches(String pattern, String text) {
    String[] parts = pattern.split("\\*", -1);
    if (parts.length == 1) {
      return text.equals(pattern);
    }
    if (!text.startsWith(parts[0])) {
      return false;
    }
    int at = parts[0].length();
    for (int i = 1; i < parts.length - 1; i++) {
      int found = text.indexOf(parts[i], at);
      if (found < 0) {
        return false;
      }
      at = found + parts[i].length();
    }
    String last = parts[parts.length - 1];
    return text.length() - at >= last.length() && text.endsWith(last);
  }
}
