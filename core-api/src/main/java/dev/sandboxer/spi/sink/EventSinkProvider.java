package dev.sandboxer.spi.sink;

import dev.sandboxer.spi.ExtensionConfig;
import java.util.Set;

/** The entry that {@link java.util.ServiceLoader} finds in a sink's jars. */
public interface EventSinkProvider {

  /**
   * Names the kind of sink.
   *
   * @return such as {@code nats}: lower case letters, digits and dashes
   */
  String kind();

  /**
   * Names the settings that {@link #create} reads, for whoever checks the jars before they are
   * used.
   *
   * @return keys below {@code config}; empty if it does not say
   */
  default Set<String> settings() {
    return Set.of();
  }

  /**
   * Makes a sink. It must not wait for what it delivers to, which may come later than the platform.
   *
   * @param config the sink's own settings
   * @return the sink, used until {@link EventSink#close()}
   * @throws IllegalArgumentException if a setting is wrong, naming it and what would be right
   */
  EventSink create(ExtensionConfig config);
}
