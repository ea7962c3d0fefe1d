package dev.sandboxer.platform.sink;

import dev.sandboxer.platform.installation.Home;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.platform.plugin.Plugin;
import dev.sandboxer.platform.plugin.Plugins;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;

/** The sinks of this node, from the folders {@code sinks}. */
@ApplicationScoped
public class SinkRegistry {

  private final List<Plugin<TypedSink>> all;

  SinkRegistry(Home home, Settings settings) {
    this.all = Plugins.load(new SinkSort(), home, settings);
  }

  /**
   * Everything that was found, failed ones with their reason.
   *
   * @return sinks in order of their names, then folders of jars that failed
   */
  public List<Plugin<TypedSink>> list() {
    return all;
  }
}
