package dev.sandboxer.spi.sink;

import dev.sandboxer.spi.ExtensionConfig;

/** The entry that {@link java.util.ServiceLoader} finds in a sink's jars. */
public interface EventSinkProvider {

  /**
   * Names the kind of sink.
   *
   * @return such as {@code nats}: lower case letters, digits and dashes
   */
  String kind();

  /**
   * Makes a sink. It must not wait for what it delivers to, which may come later than the platform.
   *
   * @param config the sink's own settings
   * @return the sink, used until {@link EventSink#close()}
   * @throws IllegalArgumentException if a setting is wrong, naming it and what would be right
   */
  EventSink create(ExtensionConfig config);
}
