package dev.sandboxer.platform.dataplane;

import java.util.List;

/**
 * A file of a sandbox that only its user may read.
 *
 * @param path absolute, inside
 * @param content of the file
 * @param after files inside; the first of them that can be read comes before the content
 */
@SuppressWarnings("ArrayRecordComponent") // passed on, never compared
public record PrivateFile(String path, byte[] content, List<String> after) {

  /** Keeps an immutable copy. */
  public PrivateFile {
    after = List.copyOf(after);
  }

  @Override
  public String toString() {
    return "PrivateFile[" + path + "]";
  }
}
