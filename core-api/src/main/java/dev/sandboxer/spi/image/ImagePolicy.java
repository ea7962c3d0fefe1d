package dev.sandboxer.spi.image;

import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionConfig;
import dev.sandboxer.spi.ExtensionException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * What an operator sets of images for an extension that fetches them itself: {@code config.pull}
 * and {@code config.images} of its extension.yaml.
 *
 * @param pull when an image is fetched
 * @param images which images may be used
 */
public record ImagePolicy(Pull pull, List<ImagePattern> images) {

  /** When an image is fetched from its registry. */
  public enum Pull {
    /** Where it is not here. */
    MISSING,
    /** For each sandbox the registry is asked what a tag means. */
    ALWAYS,
    /** Never: it must be here. */
    NEVER
  }

  /** Keeps an immutable copy. */
  public ImagePolicy {
    images = List.copyOf(images);
  }

  /**
   * Reads the settings {@code pull} and {@code images}.
   *
   * @param config of the extension
   * @return the policy; what is missing only, and all images, where nothing is set
   * @throws ExtensionException VALIDATION if one is wrong, naming it and what would be right
   */
  public static ImagePolicy of(ExtensionConfig config) throws ExtensionException {
    return new ImagePolicy(
        pull(config.get("pull", "missing")), patterns(config.get("images", "*")));
  }

  private static Pull pull(String text) throws ExtensionException {
    return Arrays.stream(Pull.values())
        .filter(pull -> pull.name().toLowerCase(Locale.ROOT).equals(text))
        .findFirst()
        .orElseThrow(() -> wrong("config.pull is '" + text + "': missing, always or never"));
  }

  private static List<ImagePattern> patterns(String text) throws ExtensionException {
    try {
      return Arrays.stream(text.split(",", -1)).map(String::strip).map(ImagePattern::new).toList();
    } catch (IllegalArgumentException e) {
      throw wrong("config.images: " + e.getMessage());
    }
  }

  /**
   * Reads the name of an image that may be used.
   *
   * @param text of a profile
   * @param extension whose policy this is, for the message
   * @return the name
   * @throws ExtensionException VALIDATION if it is no name, or no pattern fits it
   */
  public ImageName allowed(String text, String extension) throws ExtensionException {
    ImageName name;
    try {
      name = ImageName.parse(text);
    } catch (IllegalArgumentException e) {
      throw wrong(String.valueOf(e.getMessage()));
    }
    if (images.stream().noneMatch(pattern -> pattern.matches(name))) {
      throw wrong(
          "image %s is not allowed here: in full it is %s, and config.images of %s allows %s"
              .formatted(name.text(), name.full(), extension, images));
    }
    return name;
  }

  private static ExtensionException wrong(String message) {
    return new ExtensionException(ErrorCode.VALIDATION, message);
  }
}
