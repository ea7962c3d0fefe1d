package dev.sandboxer.cli.dataplane;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * A file, folder or link inside a sandbox, as the sandbox says.
 *
 * @param path absolute
 * @param type file, folder, link or something else
 * @param bytes of a file
 * @param executable whether its owner may execute it
 * @param target of a link, else empty
 */
public record InsideFile(String path, String type, long bytes, boolean executable, String target) {
  private static final int OWNER_MAY = 0100;

  static InsideFile of(JsonNode entry) {
    return new InsideFile(
        entry.path("path").asText(),
        entry.path("type").asText(),
        entry.path("size_bytes").asLong(),
        (mode(entry.path("mode").asText()) & OWNER_MAY) != 0,
        entry.path("link_target").asText(""));
  }

  private static int mode(String octal) {
    return octal.matches("[0-7]{1,6}") ? Integer.parseInt(octal, 8) : 0;
  }

  /** Whether it is a folder. */
  public boolean folder() {
    return type.equals("folder");
  }
}
