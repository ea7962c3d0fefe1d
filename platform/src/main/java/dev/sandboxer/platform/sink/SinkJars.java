package dev.sandboxer.platform.sink;

import dev.sandboxer.loading.FolderCheck;
import dev.sandboxer.loading.RefusedException;
import dev.sandboxer.loading.SinkDescription;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.loading.ExtensionClassLoader;
import dev.sandboxer.spi.sink.EventSinkProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.stream.Stream;
import org.jboss.logging.Logger;

/** Loads the kinds of sinks, a folder of jars each. One that fails never disturbs another. */
final class SinkJars {

  private static final Logger LOG = Logger.getLogger(SinkJars.class);

  private final FolderCheck check;
  private final Map<String, SinkKind> kinds = new LinkedHashMap<>();
  private final List<LoadedSink> failed = new ArrayList<>();

  SinkJars(FolderCheck check) {
    this.check = check;
  }

  Optional<SinkKind> find(String kind) {
    return Optional.ofNullable(kinds.get(kind));
  }

  List<String> names() {
    return kinds.keySet().stream().sorted().toList();
  }

  List<LoadedSink> failed() {
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
      try (SinkKind.Context _ = new SinkKind.Context(own)) {
        EventSinkProvider provider = own.only(EventSinkProvider.class);
        String kind = SinkDescription.of(provider).kind();
        add(new SinkKind(kind, provider, own, folder.toString()));
      }
    } catch (RefusedException | ExtensionException e) {
      fail(folder, String.valueOf(e.getMessage()));
    } catch (IOException | RuntimeException | LinkageError | ServiceConfigurationError e) {
      fail(folder, e.getCause() == null ? e.toString() : e + ", caused by " + e.getCause());
    }
  }

  private void add(SinkKind kind) throws RefusedException {
    SinkKind first = kinds.putIfAbsent(kind.name(), kind);
    if (first != null) {
      throw new RefusedException(
          "the kind %s is there twice: %s was loaded first".formatted(kind.name(), first.source()));
    }
    LOG.infof("kind of sink loaded kind=%s source=%s", kind.name(), kind.source());
  }

  private void fail(Path folder, String reason) {
    LOG.errorf("kind of sink failed source=%s reason=%s", folder, reason);
    String name = folder.getFileName().toString();
    failed.add(LoadedSink.failed(name, name, reason));
  }
}
