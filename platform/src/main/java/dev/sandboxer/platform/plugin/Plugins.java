package dev.sandboxer.platform.plugin;

import dev.sandboxer.loading.FolderCheck;
import dev.sandboxer.loading.RefusedException;
import dev.sandboxer.platform.installation.Home;
import dev.sandboxer.platform.installation.Setting;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.yaml.YamlException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jboss.logging.Logger;

/**
 * The plug-ins of one sort on this node, loaded once. Kinds are folders of jars in the sort's
 * folder of {@code $SANDBOXER_DIST}, then of {@code $SANDBOXER_HOME}; each {@code NAME.yaml} in the
 * latter is a plug-in.
 *
 * @param <P> what jars provide
 * @param <T> what is made of a file
 */
public final class Plugins<P, T> {

  private static final Logger LOG = Logger.getLogger(Plugins.class);
  private static final String YAML = ".yaml";

  private final PluginSort<P, T> sort;
  private final PluginJars<P, T> jars;
  private final List<Plugin<T>> all = new ArrayList<>();

  private Plugins(PluginSort<P, T> sort, FolderCheck check) {
    this.sort = sort;
    this.jars = new PluginJars<>(sort, check);
  }

  /**
   * Loads all of a sort. What is wrong is logged, and becomes a failed plug-in.
   *
   * @param <P> what jars provide
   * @param <T> what is made of a file
   * @param sort of which sort
   * @param home with the operator's own
   * @param settings name the distribution
   * @return plug-ins in order of their names, then folders of jars that failed
   */
  public static <P, T> List<Plugin<T>> load(PluginSort<P, T> sort, Home home, Settings settings) {
    Plugins<P, T> plugins = new Plugins<>(sort, JarSums.check(settings));
    Path own = home.resolve(sort.folder());
    settings
        .path(Setting.SANDBOXER_DIST)
        .map(dist -> dist.toAbsolutePath().resolve(sort.folder()))
        .ifPresent(plugins.jars::loadAll);
    plugins.jars.loadAll(own);
    plugins.setUpAll(own);
    plugins.all.addAll(plugins.jars.failed());
    return List.copyOf(plugins.all);
  }

  private void setUpAll(Path folder) {
    if (!Files.isDirectory(folder)) {
      return;
    }
    try (Stream<Path> files = Files.list(folder)) {
      files.filter(file -> file.toString().endsWith(YAML)).sorted().forEach(this::setUp);
    } catch (IOException e) {
      all.add(Plugin.failed(sort.folder(), "", e.toString()));
    }
  }

  private void setUp(Path file) {
    String name = file.getFileName().toString();
    String id = name.substring(0, name.length() - YAML.length());
    Plugin<T> plugin = made(id, name, file);
    plugin
        .reason()
        .ifPresent(reason -> LOG.errorf("%s failed id=%s reason=%s", sort.noun(), id, reason));
    all.add(plugin);
  }

  private Plugin<T> made(String id, String name, Path file) {
    String kind = "";
    try {
      checkName(id);
      FolderCheck.checkOwner(file);
      PluginFile wanted = PluginFile.parse(id, name, Files.readString(file), sort.keys());
      kind = wanted.kind();
      T made = sort.make(jars.get(kind), wanted);
      return new Plugin<>(id, kind, Optional.of(made), Optional.empty());
    } catch (RefusedException e) {
      return Plugin.failed(id, kind, String.valueOf(e.getMessage()));
    } catch (YamlException e) {
      return Plugin.failed(id, kind, e.sentence());
    } catch (IllegalArgumentException e) {
      return Plugin.failed(id, kind, name + ": " + e.getMessage());
    } catch (IOException | RuntimeException | LinkageError e) {
      return Plugin.failed(id, kind, e.toString());
    }
  }

  private void checkName(String id) throws RefusedException {
    if (!id.matches("[a-z][a-z0-9-]{0,39}")) {
      throw new RefusedException(
          "'%s' must be a name of up to 40 lower case letters, digits and dashes".formatted(id));
    }
    if (sort.taken().contains(id)) {
      throw new RefusedException("the name '%s' is taken: choose another".formatted(id));
    }
  }
}
