package dev.sandboxer.cli.terminal;

import java.util.Map;

/**
 * Colours of a person's terminal. Without colour each method gives its text back as it is.
 *
 * @param on whether there is colour
 */
public record Palette(boolean on) {
  /** No colour at all. */
  public static final Palette PLAIN = new Palette(false);

  private static final String BOLD = "1";
  private static final String DIM = "2";
  private static final String RED = "31";
  private static final String GREEN = "32";
  private static final String YELLOW = "33";

  /** What stands in a column STATE or as an answer of a check, and its colour. */
  private static final Map<String, String> STATES =
      Map.ofEntries(
          Map.entry("ready", GREEN),
          Map.entry("active", GREEN),
          Map.entry("loaded", GREEN),
          Map.entry("ok", GREEN),
          Map.entry("failed", RED),
          Map.entry("BAD", RED),
          Map.entry("expired", YELLOW),
          Map.entry("requested", YELLOW),
          Map.entry("provisioning", YELLOW),
          Map.entry("resuming", YELLOW),
          Map.entry("suspending", YELLOW),
          Map.entry("destroying", YELLOW),
          Map.entry("destroyed", DIM));

  /** A title. */
  public String title(String text) {
    return painted(BOLD, text);
  }

  /** What matters less. */
  public String faint(String text) {
    return painted(DIM, text);
  }

  /** What went wrong. */
  public String bad(String text) {
    return painted(RED, text);
  }

  /** The word of a state in its colour; any other word as it is. */
  public String state(String word) {
    String colour = STATES.get(word);
    return colour == null ? word : painted(colour, word);
  }

  private String painted(String code, String text) {
    return on ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
  }
}
