package dev.sandboxer.platform.delivery;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.platform.installation.Setting;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.platform.plugin.Plugin;
import dev.sandboxer.platform.sink.SinkRegistry;
import dev.sandboxer.platform.sink.TypedSink;
import dev.sandboxer.spi.sink.EventSink;
import jakarta.enterprise.context.ApplicationScoped;
import java.net.URI;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The sinks that the operator has set up on this node. */
@ApplicationScoped
class ConfiguredSinks {

  private static final String STATE_HUB = "state-hub";

  private final Settings settings;
  private final SinkRegistry registry;
  private final ObjectMapper json;
  private final Clock clock;

  ConfiguredSinks(Settings settings, SinkRegistry registry, ObjectMapper json, Clock clock) {
    this.settings = settings;
    this.registry = registry;
    this.json = json;
    this.clock = clock;
  }

  /**
   * A sink that can be called.
   *
   * @param id under which the database knows its backlog
   * @param kind what receives
   * @param types wanted types, empty for all
   * @param sink to call
   */
  record Configured(String id, String kind, Set<String> types, EventSink sink) {}

  List<Configured> all() {
    List<Configured> all = new ArrayList<>();
    settings.stateHubUrl().map(this::stateHub).ifPresent(all::add);
    for (Plugin<TypedSink> one : registry.list()) {
      one.made()
          .map(made -> new Configured(one.id(), one.kind(), made.types(), made.sink()))
          .ifPresent(all::add);
    }
    return all;
  }

  private Configured stateHub(URI url) {
    return new Configured(
        STATE_HUB,
        STATE_HUB,
        Set.of(),
        new StateHubSink(
            url,
            settings.text(Setting.SANDBOXER_STATE_HUB_TOKEN),
            settings.authorities(),
            json,
            clock));
  }

  /** What cannot be called on this node, with the reason. */
  List<Plugin<TypedSink>> failed() {
    return registry.list().stream().filter(one -> one.reason().isPresent()).toList();
  }
}
