package dev.sandboxer.platform.extension;

import dev.sandboxer.loading.ApiVersion;
import dev.sandboxer.loading.FolderCheck;
import dev.sandboxer.loading.Manifest;
import dev.sandboxer.loading.RefusedException;
import dev.sandboxer.spi.ExtensionDescriptor;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.SandboxExtension;
import dev.sandboxer.spi.SandboxExtensionProvider;
import dev.sandboxer.spi.loading.ExtensionClassLoader;
import dev.sandboxer.yaml.YamlException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Loads every folder below the extension folders once. One that fails never disturbs another. */
final class ExtensionLoader {

  private static final Logger LOG = Logger.getLogger(ExtensionLoader.class);

  private final FolderCheck check;
  private final PlatformContext.Lent lent;
  private final Map<String, Loaded> byId = new LinkedHashMap<>();
  private final List<LoadedExtension> all = new ArrayList<>();

  ExtensionLoader(FolderCheck check, PlatformContext.Lent lent) {
    this.check = check;
    this.lent = lent;
  }

  /** An extension that can be called. */
  record Loaded(LoadedExtension facts, SandboxExtension extension) {}

  List<LoadedExtension> all() {
    return List.copyOf(all);
  }

  Map<String, Loaded> usable() {
    return Map.copyOf(byId);
  }

  /** Loads what is below one folder, in order of names; what came first keeps its id. */
  void loadAll(Path root) {
    if (!Files.isDirectory(root)) {
      return;
    }
    try (Stream<Path> folders = Files.list(root)) {
      for (Path folder : folders.filter(Files::isDirectory).sorted().toList()) {
        load(root, folder);
      }
    } catch (IOException e) {
      fail(new Attempt(root), e.toString());
    }
  }

  private void load(Path root, Path folder) {
    Attempt attempt = new Attempt(folder);
    try {
      FolderCheck.checkOwner(root);
      Loaded loaded = attempt.load();
      byId.put(loaded.facts().id(), loaded);
      all.add(loaded.facts());
      LOG.infof("extension loaded id=%s version=%s", loaded.facts().id(), loaded.facts().version());
    } catch (RefusedException | ExtensionException e) {
      fail(attempt, String.valueOf(e.getMessage()));
    } catch (YamlException e) {
      fail(attempt, e.sentence());
    } catch (IOException
        | RuntimeException
        | LinkageError
        | java.util.ServiceConfigurationError e) {
      fail(attempt, describe(e));
    }
  }

  private static String describe(Throwable thrown) {
    @Nullable Throwable cause = thrown.getCause();
    return cause == null ? thrown.toString() : thrown + ", caused by " + describe(cause);
  }

  private void fail(Attempt attempt, String reason) {
    LoadedExtension failed = attempt.failed(reason);
    all.add(failed);
    LOG.errorf("extension failed id=%s source=%s reason=%s", failed.id(), failed.source(), reason);
  }

  /** One folder on its way. */
  private final class Attempt {

    private final Path folder;
    private @Nullable ExtensionDescriptor descriptor;

    Attempt(Path folder) {
      this.folder = folder;
    }

    Loaded load() throws IOException, RefusedException, YamlException, ExtensionException {
      List<Path> jars = check.jars(folder);
      Manifest manifest = manifest();
      ExtensionClassLoader own = ExtensionClassLoader.of(folder.getFileName().toString(), jars);
      OwnContext context = new OwnContext(own);
      try (OwnContext.Scope _ = context.enter()) {
        return create(manifest, own, context);
      }
    }

    private Loaded create(Manifest manifest, ExtensionClassLoader own, OwnContext context)
        throws RefusedException, YamlException, ExtensionException {
      SandboxExtensionProvider provider = own.provider();
      ExtensionDescriptor declared = provider.descriptor();
      descriptor = declared;
      accept(declared);
      ExtensionDescriptor narrowed = manifest.narrow(declared);
      descriptor = narrowed;
      SandboxExtension extension =
          provider.create(manifest.config(), new PlatformContext(narrowed.id(), lent));
      return new Loaded(
          LoadedExtension.loaded(narrowed, folder.toString()), context.around(extension));
    }

    private Manifest manifest() throws IOException, YamlException, RefusedException {
      Path file = folder.resolve("extension.yaml");
      if (Files.exists(file)) {
        FolderCheck.checkOwner(file);
      }
      return Manifest.of(folder);
    }

    private void accept(ExtensionDescriptor declared) throws RefusedException {
      ApiVersion.require(declared);
      @Nullable Loaded first = byId.get(declared.id());
      if (first != null) {
        throw new RefusedException(
            "%s is there twice: %s was loaded first"
                .formatted(declared.id(), first.facts().source()));
      }
    }

    LoadedExtension failed(String reason) {
      @Nullable ExtensionDescriptor known = descriptor;
      String id = known == null ? "ext." + folder.getFileName() : known.id();
      String version = known == null ? "" : known.version();
      return LoadedExtension.failed(id, version, folder.toString(), reason, known);
    }
  }
}
