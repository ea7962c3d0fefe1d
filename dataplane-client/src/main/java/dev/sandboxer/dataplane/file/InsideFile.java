package dev.sandboxer.dataplane.file;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * A file, folder or link inside a sandbox, as the sandbox says.
 *
 * @param path absolute
 * @param type {@code file}, {@code folder}, {@code link}, {@code fifo}, {@code socket} or {@code
 *     device}
 * @param bytes of a file
 * @param mode the permission bits, such as 0644; 0 where the sandbox sent none
 * @param target of a link, else empty
 */
public record InsideFile(String path, String type, long bytes, int mode, String target) {
  private static final int OWNER_MAY_EXECUTE = 0100;

  /** Reads an entry; what is missing or wrong is empty or 0. */
  static InsideFile of(JsonNode entry) {
    return new InsideFile(
        entry.path("path").asText(),
        entry.path("type").asText(),
        entry.path("size_bytes").asLong(),
        mode(entry.path("mode").asText()),
        entry.path("link_target").asText(""));
  }

  private static int mode(String octal) {
    return octal.matches("[0-7]{1,6}") ? Integer.parseInt(octal, 8) : 0;
  }

  /** Whether it is a folder. */
  public boolean folder() {
    return type.equals("folder");
  }

  /** Whether its owner may execute it. */
  public boolean executable() {
    return (mode & OWNER_MAY_EXECUTE) != 0;
  }
}
