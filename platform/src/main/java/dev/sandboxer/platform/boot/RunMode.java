package dev.sandboxer.platform.boot;

import jakarta.enterprise.context.ApplicationScoped;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** Whether this process serves, or runs one {@link CommandMode} and ends. */
@ApplicationScoped
public class RunMode {

  static final String SERVING = "sandboxer.serving";

  private final boolean serving;

  RunMode(@ConfigProperty(name = SERVING, defaultValue = "true") boolean serving) {
    this.serving = serving;
  }

  /**
   * Whether workers may start.
   *
   * @return false while an offline command runs
   */
  public boolean serving() {
    return serving;
  }
}
