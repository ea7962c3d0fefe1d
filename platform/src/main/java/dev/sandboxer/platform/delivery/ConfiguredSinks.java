package dev.sandboxer.platform.delivery;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.platform.installation.Setting;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.spi.sink.EventSink;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The sinks that the operator has set up on this node. */
@ApplicationScoped
class ConfiguredSinks {

  private final Settings settings;
  private final ObjectMapper json;
  private final Clock clock;

  ConfiguredSinks(Settings settings, ObjectMapper json, Clock clock) {
    this.settings = settings;
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
    settings
        .stateHubUrl()
        .ifPresent(
            url ->
                all.add(
                    new Configured(
                        "state-hub",
                        "state-hub",
                        Set.of(),
                        new StateHubSink(
                            url, settings.text(Setting.SANDBOXER_STATE_HUB_TOKEN), json, clock))));
    return all;
  }
}
