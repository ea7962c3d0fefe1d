package dev.sandboxer.platform.routing;

import dev.sandboxer.platform.installation.Home;
import dev.sandboxer.platform.installation.Settings;
import java.nio.file.Path;

/** Strategies for tests of other features. */
public final class SomeStrategies {

  private SomeStrategies() {}

  /** Those of the platform, and those in {@code home/strategies} below a folder. */
  public static Strategies in(Path folder) {
    Home home = Home.open(folder.resolve("home"));
    return new Strategies(home, Settings.load(home, _ -> null));
  }
}
