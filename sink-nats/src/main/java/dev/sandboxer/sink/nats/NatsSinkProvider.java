package dev.sandboxer.sink.nats;

import dev.sandboxer.spi.ExtensionConfig;
import dev.sandboxer.spi.sink.EventSink;
import dev.sandboxer.spi.sink.EventSinkProvider;
import java.util.Set;

/** What ServiceLoader finds. */
public final class NatsSinkProvider implements EventSinkProvider {

  @Override
  public String kind() {
    return "nats";
  }

  @Override
  public Set<String> settings() {
    return NatsSettings.KNOWN;
  }

  @Override
  public EventSink create(ExtensionConfig config) {
    return new NatsSink(NatsSettings.of(config));
  }
}
