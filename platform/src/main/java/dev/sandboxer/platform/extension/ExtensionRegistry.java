package dev.sandboxer.platform.extension;

import dev.sandboxer.platform.installation.Home;
import dev.sandboxer.platform.installation.IdentitySigner;
import dev.sandboxer.platform.installation.Installation;
import dev.sandboxer.platform.installation.Setting;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.platform.installation.StartupException;
import dev.sandboxer.platform.plugin.JarCopies;
import dev.sandboxer.platform.plugin.JarSums;
import dev.sandboxer.spi.ExtensionDescriptor;
import dev.sandboxer.spi.SandboxExtension;
import io.quarkus.runtime.Startup;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jboss.logging.Logger;

/**
 * The extensions of this platform, loaded at its start from {@code $SANDBOXER_DIST/extensions},
 * then {@code $SANDBOXER_HOME/extensions}. An id that is there twice stays with the first. A folder
 * in the home that has only {@code extension.yaml} configures the shipped one of its name.
 */
@Startup
@ApplicationScoped
public class ExtensionRegistry {

  private static final Logger LOG = Logger.getLogger(ExtensionRegistry.class);

  private final JarCopies copies;
  private final List<LoadedExtension> all;
  private final Map<String, ExtensionLoader.Loaded> usable;

  ExtensionRegistry(
      Home home, Settings settings, Installation installation, IdentitySigner signer, Clock clock) {
    this.copies = copies(home);
    ExtensionLoader loader =
        new ExtensionLoader(
            JarSums.check(settings),
            copies,
            new PlatformContext.SharedServices(home, settings, installation, signer, clock),
            new OwnSettings(home.resolve("extensions")));
    settings
        .path(Setting.SANDBOXER_DIST)
        .map(dist -> dist.toAbsolutePath().resolve("extensions"))
        .ifPresent(loader::loadShipped);
    loader.loadOwn();
    this.all = loader.all();
    this.usable = loader.usable();
    settings.extensions().requireDeclared(declaredSettings());
  }

  private static JarCopies copies(Home home) {
    Path place = home.resolve("run").resolve("jars");
    try {
      return JarCopies.in(place);
    } catch (IOException e) {
      throw new StartupException("jars cannot be copied to %s: %s".formatted(place, e), e);
    }
  }

  /**
   * Whether the jars of an extension were replaced since the platform started.
   *
   * @param extension of this registry
   * @return true if a restart would load others
   */
  public boolean changed(LoadedExtension extension) {
    return copies.changed(Path.of(extension.source()));
  }

  private Map<String, Set<String>> declaredSettings() {
    Map<String, Set<String>> declared = new TreeMap<>();
    for (LoadedExtension extension : all) {
      ExtensionDescriptor descriptor = extension.descriptor();
      if (descriptor != null) {
        declared.put(descriptor.id(), descriptor.settings());
      }
    }
    return declared;
  }

  /**
   * Everything that was found, failed ones with their reason.
   *
   * @return in the order of loading
   */
  public List<LoadedExtension> list() {
    return all;
  }

  /**
   * Finds an extension to call. Each call runs with the extension's context class loader; optional
   * powers are found by {@code instanceof}.
   *
   * @param id such as {@code ext.nsjail}
   * @return empty if there is none or it failed to load
   */
  public Optional<SandboxExtension> find(String id) {
    return Optional.ofNullable(usable.get(id)).map(ExtensionLoader.Loaded::extension);
  }

  /**
   * Which extensions can be called.
   *
   * @return their ids
   */
  public Set<String> callable() {
    return usable.keySet();
  }

  /**
   * What an extension declares, narrowed by the operator.
   *
   * @param id such as {@code ext.nsjail}
   * @return empty if there is none, or its descriptor could not be read
   */
  public Optional<ExtensionDescriptor> descriptor(String id) {
    return all.stream()
        .filter(extension -> extension.id().equals(id))
        .map(LoadedExtension::descriptor)
        .filter(Objects::nonNull)
        .findFirst();
  }

  @PreDestroy
  void close() {
    for (ExtensionLoader.Loaded loaded : usable.values()) {
      try {
        loaded.extension().close();
      } catch (RuntimeException | LinkageError e) {
        LOG.errorf(e, "extension does not close id=%s", loaded.facts().id());
      }
    }
  }
}
