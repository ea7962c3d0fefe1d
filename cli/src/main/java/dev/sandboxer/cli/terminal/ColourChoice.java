package dev.sandboxer.cli.terminal;

import java.util.Locale;
import java.util.Map;

/** When there is colour. */
public enum ColourChoice {
  /** On a terminal that can, unless NO_COLOR is set. */
  AUTO,
  /** Also in a file or a pipe. */
  ALWAYS,
  /** Nowhere. */
  NEVER;

  /**
   * The colours for one stream.
   *
   * @param terminal whether the stream is a terminal
   */
  public Palette palette(Map<String, String> environment, boolean terminal) {
    return switch (this) {
      case ALWAYS -> new Palette(true);
      case NEVER -> Palette.PLAIN;
      case AUTO ->
          new Palette(
              terminal
                  && environment.getOrDefault("NO_COLOR", "").isEmpty()
                  && !environment.getOrDefault("TERM", "").equals("dumb"));
    };
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
