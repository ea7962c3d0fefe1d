package dev.sandboxer.platform.extension;

import dev.sandboxer.spi.ExtensionDescriptor;
import org.jspecify.annotations.Nullable;

/**
 * What became of one extension folder.
 *
 * @param id {@code ext.<name>}; by the folder's name if the descriptor could not be read
 * @param version of the extension, empty if it could not be read
 * @param state whether it can be used
 * @param reason why it failed, null if it loaded
 * @param descriptor narrowed by {@code extension.yaml}, null if it could not be read
 * @param source the folder
 */
public record LoadedExtension(
    String id,
    String version,
    State state,
    @Nullable String reason,
    @Nullable ExtensionDescriptor descriptor,
    String source) {

  /** Whether an extension can be used. */
  public enum State {
    /** It can. */
    LOADED,
    /** It cannot, until the platform starts again. */
    FAILED
  }

  /** Checks that a failure has a reason and a loaded extension has none. */
  public LoadedExtension {
    if ((state == State.FAILED) != (reason != null)) {
      throw new IllegalArgumentException("a failed extension, and no other, has a reason");
    }
    if (state == State.LOADED && descriptor == null) {
      throw new IllegalArgumentException("a loaded extension has a descriptor");
    }
  }

  static LoadedExtension failed(
      String id, String version, String source, String reason, @Nullable ExtensionDescriptor d) {
    return new LoadedExtension(id, version, State.FAILED, reason, d, source);
  }

  static LoadedExtension loaded(ExtensionDescriptor descriptor, String source) {
    return new LoadedExtension(
        descriptor.id(), descriptor.version(), State.LOADED, null, descriptor, source);
  }
}
