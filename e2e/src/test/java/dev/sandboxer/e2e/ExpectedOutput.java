package dev.sandboxer.e2e;

import java.util.regex.Pattern;

/**
 * Output as a page shows it. {@code …} stands for anything within a line; a line with nothing else
 * for any number of lines.
 */
record ExpectedOutput(String text) {

  private static final String ANYTHING = "…";

  boolean matches(String output) {
    StringBuilder pattern = new StringBuilder();
    text.lines().forEach(line -> pattern.append(line(line)));
    return Pattern.matches(pattern.toString(), output.stripTrailing() + "\n");
  }

  private static String line(String line) {
    if (line.equals(ANYTHING)) {
      return "(?:.*\\n)*";
    }
    return Pattern.quote(line).replace(ANYTHING, "\\E.*\\Q") + "\\n";
  }
}
