package dev.sandboxer.platform.sink;

import dev.sandboxer.spi.sink.EventSink;
import java.util.Optional;
import java.util.Set;

/**
 * What became of one sink's file, or of a folder of jars that gave no kind of sink.
 *
 * @param id name of the file or folder
 * @param kind what receives; the folder's name if its provider could not be asked
 * @param types wanted types, empty for all
 * @param sink to call, empty if it failed
 * @param reason why it failed, empty if it works
 */
public record LoadedSink(
    String id, String kind, Set<String> types, Optional<EventSink> sink, Optional<String> reason) {

  /** Checks that a sink works or has a reason. */
  public LoadedSink {
    types = Set.copyOf(types);
    if (sink.isPresent() == reason.isPresent()) {
      throw new IllegalArgumentException("a failed sink, and no other, has a reason");
    }
  }

  static LoadedSink failed(String id, String kind, String reason) {
    return new LoadedSink(id, kind, Set.of(), Optional.empty(), Optional.of(reason));
  }
}
