package dev.sandboxer.sink.nats;

import dev.sandboxer.spi.ExtensionConfig;
import dev.sandboxer.spi.sink.EventSink;
import dev.sandboxer.spi.sink.EventSinkProvider;

/** What ServiceLoader finds. */
public final class NatsSinkProvider implements EventSinkProvider {

  @Override
  public String kind() {
    return "nats";
  }

  @Override
  public EventSink create(ExtensionConfig config) {
    return new NatsSink(NatsSettings.of(config));
  }
}
