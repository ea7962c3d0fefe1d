package dev.sandboxer.spi.image;

import java.util.regex.Pattern;

/**
 * Which images may be used. {@code *} stands for any text. Whole names are compared, as {@code
 * docker.io/library/debian:13}; where a name has a digest, {@code
 * docker.io/library/debian@sha256:…}, whatever tag it has as well.
 *
 * @param text such as {@code registry.example/team/*}
 */
public record ImagePattern(String text) {

  private static final Pattern FORM = Pattern.compile("[A-Za-z0-9._/:@*-]{1,512}");

  /**
   * Checks the pattern.
   *
   * @throws IllegalArgumentException if it is not one
   */
  public ImagePattern {
    if (!FORM.matcher(text).matches()) {
      throw new IllegalArgumentException(
          "'%.100s' is not a pattern of image names, such as docker.io/library/*".formatted(text));
    }
  }

  /**
   * Compares.
   *
   * @param image of a profile
   * @return whether the image's whole name fits
   */
  public boolean matches(ImageName image) {
    return matches(image.full());
  }

  /** Linear in the text for each star: the rest after the last star must be its end. */
  private boolean matches(String name) {
    String[] parts = text.split("\\*", -1);
    if (parts.length == 1) {
      return name.equals(text);
    }
    if (!name.startsWith(parts[0])) {
      return false;
    }
    int at = parts[0].length();
    for (int i = 1; i < parts.length - 1; i++) {
      int found = name.indexOf(parts[i], at);
      if (found < 0) {
        return false;
      }
      at = found + parts[i].length();
    }
    String last = parts[parts.length - 1];
    return name.length() - at >= last.length() && name.endsWith(last);
  }

  @Override
  public String toString() {
    return text;
  }
}
