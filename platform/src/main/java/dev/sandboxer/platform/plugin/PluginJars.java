package dev.sandboxer.platform.plugin;

import dev.sandboxer.loading.FolderCheck;
import dev.sandboxer.loading.RefusedException;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.loading.ExtensionClassLoader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.stream.Stream;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Loads the kinds of one sort, a folder of jars each. One that fails never disturbs another. */
final class PluginJars<P, T> {

  private static final Logger LOG = Logger.getLogger(PluginJars.class);

  private final PluginSort<P, T> sort;
  private final FolderCheck check;
  private final Map<String, PluginKind<P>> kinds = new LinkedHashMap<>();
  private final List<Plugin<T>> failed = new ArrayList<>();

  PluginJars(PluginSort<P, T> sort, FolderCheck check) {
    this.sort = sort;
    this.check = check;
  }

  PluginKind<P> get(String kind) throws RefusedException {
    @Nullable PluginKind<P> found = kinds.get(kind);
    if (found == null) {
      throw new RefusedException(
          "there is no kind of %s '%s'; there are %s"
              .formatted(sort.noun(), kind, kinds.keySet().stream().sorted().toList()));
    }
    return found;
  }

  List<Plugin<T>> failed() {
    return List.copyOf(failed);
  }

  /** Loads what is below one folder, in order of names; what came first keeps its name. */
  void loadAll(Path root) {
    if (!Files.isDirectory(root)) {
      return;
    }
    try (Stream<Path> folders = Files.list(root)) {
      for (Path folder : folders.filter(Files::isDirectory).sorted().toList()) {
        load(root, folder);
      }
    } catch (IOException e) {
      fail(root, e.toString());
    }
  }

  private void load(Path root, Path folder) {
    try {
      FolderCheck.checkOwner(root);
      ExtensionClassLoader own =
          ExtensionClassLoader.of(folder.getFileName().toString(), check.jars(folder));
      try (PluginContext _ = new PluginContext(own)) {
        P provider = own.only(sort.service());
        String kind = sort.describe(provider).kind();
        add(new PluginKind<>(kind, provider, own, folder.toString()));
      }
    } catch (RefusedException | ExtensionException e) {
      fail(folder, String.valueOf(e.getMessage()));
    } catch (IOException | RuntimeException | LinkageError | ServiceConfigurationError e) {
      fail(folder, e.getCause() == null ? e.toString() : e + ", caused by " + e.getCause());
    }
  }

  private void add(PluginKind<P> kind) throws RefusedException {
    PluginKind<P> first = kinds.putIfAbsent(kind.name(), kind);
    if (first != null) {
      throw new RefusedException(
          "the kind %s is there twice: %s was loaded first".formatted(kind.name(), first.source()));
    }
    LOG.infof("kind of %s loaded kind=%s source=%s", sort.noun(), kind.name(), kind.source());
  }

  private void fail(Path folder, String reason) {
    LOG.errorf("kind of %s failed source=%s reason=%s", sort.noun(), folder, reason);
    String name = folder.getFileName().toString();
    failed.add(Plugin.failed(name, name, reason));
  }
}
