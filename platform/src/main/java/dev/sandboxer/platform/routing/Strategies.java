package dev.sandboxer.platform.routing;

import dev.sandboxer.loading.FolderCheck;
import dev.sandboxer.loading.RefusedException;
import dev.sandboxer.platform.installation.Home;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.platform.plugin.JarSums;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.loading.ExtensionClassLoader;
import dev.sandboxer.spi.routing.RoutingStrategy;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jboss.logging.Logger;

/**
 * The strategies by name: those of the platform, and one of each folder of jars in {@code
 * $SANDBOXER_HOME/strategies}. A folder that fails is reported and disturbs nothing else.
 */
@ApplicationScoped
public class Strategies {

  private static final Logger LOG = Logger.getLogger(Strategies.class);

  private final Map<String, RoutingStrategy> byName = new TreeMap<>();
  private final Map<String, String> failed = new TreeMap<>();

  Strategies(Home home, Settings settings) {
    BuiltIn.all().forEach(strategy -> byName.put(strategy.name(), strategy));
    FolderCheck check = JarSums.check(settings);
    for (Path folder : folders(home.resolve("strategies"))) {
      load(check, folder);
    }
  }

  private List<Path> folders(Path root) {
    if (!Files.isDirectory(root)) {
      return List.of();
    }
    try (Stream<Path> folders = Files.list(root)) {
      FolderCheck.checkOwner(root);
      return folders.filter(Files::isDirectory).sorted().toList();
    } catch (IOException | RefusedException e) {
      fail(root, String.valueOf(e.getMessage()));
      return List.of();
    }
  }

  private void load(FolderCheck check, Path folder) {
    try {
      ExtensionClassLoader own =
          ExtensionClassLoader.of(folder.getFileName().toString(), check.jars(folder));
      RoutingStrategy strategy = own.only(RoutingStrategy.class);
      String name = strategy.name();
      if (!name.matches("[a-z][a-z0-9-]{0,39}") || byName.containsKey(name)) {
        throw new RefusedException(
            "its name '%s' must be lower case letters, digits and dashes, and none of %s"
                .formatted(name, byName.keySet()));
      }
      byName.put(name, strategy);
      LOG.infof("routing strategy loaded name=%s source=%s", name, folder);
    } catch (RefusedException | ExtensionException e) {
      fail(folder, String.valueOf(e.getMessage()));
    } catch (IOException | RuntimeException | LinkageError | ServiceConfigurationError e) {
      fail(folder, e.toString());
    }
  }

  private void fail(Path folder, String reason) {
    LOG.errorf("routing strategy failed source=%s reason=%s", folder, reason);
    failed.put(folder.getFileName().toString(), reason);
  }

  Optional<RoutingStrategy> find(String name) {
    return Optional.ofNullable(byName.get(name));
  }

  /**
   * What a profile can name.
   *
   * @return in alphabetical order
   */
  public List<String> names() {
    return List.copyOf(byName.keySet());
  }

  /** Folders that did not load, with the reason. */
  Map<String, String> failed() {
    return Map.copyOf(failed);
  }
}
