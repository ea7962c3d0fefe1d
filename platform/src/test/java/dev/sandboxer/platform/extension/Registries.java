package dev.sandboxer.platform.extension;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.platform.installation.Home;
import dev.sandboxer.platform.installation.Installation;
import dev.sandboxer.platform.installation.MasterKey;
import dev.sandboxer.platform.installation.Settings;
import java.nio.file.Path;
import java.time.Clock;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Registries over two folders of one test: {@code dist} and {@code home}. */
public final class Registries {

  static final String INSTALLATION = "0f0e0d0c-0b0a-0908-0706-050403020100";

  private Registries() {}

  static ExtensionRegistry over(Path folder, Map<String, String> more) {
    Map<String, String> environment = new HashMap<>(more);
    environment.put("SANDBOXER_DIST", folder.resolve("dist").toString());
    Home home = Home.open(folder.resolve("home"));
    Settings settings = Settings.load(home, environment::get);
    return new ExtensionRegistry(
        home,
        settings,
        new Installation(INSTALLATION, 1, Optional.empty()),
        MasterKey.open(home, settings).identitySigner(),
        Clock.systemUTC());
  }

  /**
   * The schemas of the extensions in {@code home/extensions}.
   *
   * @param folder of the test
   * @return without anything else of a platform
   */
  public static ExtensionSchemas schemas(Path folder) {
    return new ExtensionSchemas(over(folder, Map.of()), new ObjectMapper());
  }

  /**
   * Extensions that can be called.
   *
   * @param registry which ones
   * @param calls calls them
   */
  public record Callable(ExtensionRegistry registry, ExtensionCalls calls) {}

  /**
   * The extensions in {@code home/extensions}.
   *
   * @param folder of the test
   * @return without anything else of a platform
   */
  public static Callable callable(Path folder) {
    ExtensionRegistry registry = over(folder, Map.of());
    return new Callable(
        registry, new ExtensionCalls(registry, new Breakers(), new HostCredentials(_ -> null)));
  }
}
