package dev.sandboxer.platform.plugin;

import java.util.Optional;

/**
 * What became of one plug-in's file, or of a folder of jars that gave no kind.
 *
 * @param <T> what is made of the file
 * @param id name of the file or folder
 * @param kind which kind it is of; the folder's name if its provider could not be asked
 * @param made to be called, empty if it failed
 * @param reason why it failed, empty if it works
 */
public record Plugin<T>(String id, String kind, Optional<T> made, Optional<String> reason) {

  /** Checks that a plug-in works or has a reason. */
  public Plugin {
    if (made.isPresent() == reason.isPresent()) {
      throw new IllegalArgumentException("a failed plug-in, and no other, has a reason");
    }
  }

  static <T> Plugin<T> failed(String id, String kind, String reason) {
    return new Plugin<>(id, kind, Optional.empty(), Optional.of(reason));
  }
}
