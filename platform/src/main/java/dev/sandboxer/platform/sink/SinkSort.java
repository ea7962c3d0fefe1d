package dev.sandboxer.platform.sink;

import dev.sandboxer.loading.PluginDescription;
import dev.sandboxer.loading.RefusedException;
import dev.sandboxer.platform.event.EventType;
import dev.sandboxer.platform.plugin.PluginContext;
import dev.sandboxer.platform.plugin.PluginFile;
import dev.sandboxer.platform.plugin.PluginKind;
import dev.sandboxer.platform.plugin.PluginSort;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.sink.EventMessage;
import dev.sandboxer.spi.sink.EventSink;
import dev.sandboxer.spi.sink.EventSinkProvider;
import dev.sandboxer.spi.sink.SinkException;
import dev.sandboxer.yaml.YamlException;
import dev.sandboxer.yaml.YamlMap;
import dev.sandboxer.yaml.YamlValue;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/** How sinks are loaded. */
final class SinkSort implements PluginSort<EventSinkProvider, TypedSink> {

  private static final String TYPES = "types";
  private static final String TYPE = "[a-z]+(\\.[a-z_]+)*(\\.\\*)?";

  @Override
  public String folder() {
    return "sinks";
  }

  @Override
  public String noun() {
    return "sink";
  }

  @Override
  public Class<EventSinkProvider> service() {
    return EventSinkProvider.class;
  }

  @Override
  public Set<String> keys() {
    return Set.of(TYPES);
  }

  /** Ids that other features give their sinks. */
  @Override
  public Set<String> taken() {
    return Set.of("state-hub");
  }

  @Override
  public PluginDescription describe(EventSinkProvider provider) throws RefusedException {
    return PluginDescription.of(provider);
  }

  @Override
  public TypedSink make(PluginKind<EventSinkProvider> kind, PluginFile file) throws YamlException {
    Set<String> types = types(file.top());
    try (PluginContext _ = kind.enter()) {
      return new TypedSink(types, new InContext(kind.provider().create(file.config()), kind));
    }
  }

  private static Set<String> types(YamlMap top) throws YamlException {
    Set<String> types = new LinkedHashSet<>();
    Optional<YamlValue> given = top.find(TYPES);
    if (given.isPresent()) {
      for (YamlValue item : given.get().list()) {
        if (!item.text().matches(TYPE)) {
          throw item.wrong("%s must be such as sandbox.ready or sandbox.*".formatted(item.shown()));
        }
        Optional<String> unknown = EventType.unknown(item.text());
        if (unknown.isPresent()) {
          throw item.wrong(unknown.get());
        }
        types.add(item.text());
      }
    }
    return types;
  }

  private record InContext(EventSink sink, PluginKind<EventSinkProvider> kind)
      implements EventSink {

    @Override
    public void deliver(EventMessage event, Call call) throws SinkException {
      try (PluginContext _ = kind.enter()) {
        sink.deliver(event, call);
      } catch (RuntimeException | LinkageError e) {
        throw SinkException.away("the sink itself failed: " + e, e);
      }
    }

    @Override
    public void close() {
      try (PluginContext _ = kind.enter()) {
        sink.close();
      }
    }
  }
}
