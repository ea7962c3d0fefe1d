package dev.sandboxer.platform.plugin;

import dev.sandboxer.loading.PluginDescription;
import dev.sandboxer.loading.RefusedException;
import dev.sandboxer.yaml.YamlException;
import java.util.Set;

/**
 * What plug-ins of one sort have in common.
 *
 * @param <P> what their jars provide
 * @param <T> what is made of a file
 */
public interface PluginSort<P, T> {

  /**
   * Where they are, below the distribution and the home.
   *
   * @return such as {@code sinks}
   */
  String folder();

  /**
   * What one is called in messages.
   *
   * @return such as {@code sink}
   */
  String noun();

  /**
   * What their jars name in {@code META-INF/services}.
   *
   * @return an interface of the SPI
   */
  Class<P> service();

  /**
   * Keys of a file beside {@code kind} and {@code config}.
   *
   * @return names
   */
  default Set<String> keys() {
    return Set.of();
  }

  /**
   * Names that no file may have.
   *
   * @return names
   */
  Set<String> taken();

  /**
   * Asks a provider what it is.
   *
   * @param provider of a folder of jars
   * @return what it says
   * @throws RefusedException if that is wrong
   */
  PluginDescription describe(P provider) throws RefusedException;

  /**
   * Makes one.
   *
   * @param kind that its file names
   * @param file of the operator's
   * @return to be called
   * @throws YamlException naming the line of the file that is wrong
   */
  T make(PluginKind<P> kind, PluginFile file) throws YamlException;
}
