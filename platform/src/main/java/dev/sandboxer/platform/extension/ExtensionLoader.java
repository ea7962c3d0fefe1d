package dev.sandboxer.platform.extension;

import dev.sandboxer.loading.ApiVersion;
import dev.sandboxer.loading.FolderCheck;
import dev.sandboxer.loading.Manifest;
import dev.sandboxer.loading.RefusedException;
import dev.sandboxer.platform.plugin.JarCopies;
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
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Loads every folder below the extension folders once. One that fails never disturbs another. */
final class ExtensionLoader {

  private static final Logger LOG = Logger.getLogger(ExtensionLoader.class);

  private final FolderCheck check;
  private final JarCopies copies;
  private final PlatformContext.SharedServices shared;
  private final OwnSettings settings;
  private final Set<String> shipped = new TreeSet<>();
  private final Map<String, Loaded> byId = new LinkedHashMap<>();
  private final List<LoadedExtension> all = new ArrayList<>();

  ExtensionLoader(
      FolderCheck check,
      JarCopies copies,
      PlatformContext.SharedServices shared,
      OwnSettings settings) {
    this.copies = copies;
    this.check = check;
    this.shared = shared;
    this.settings = settings;
  }

  /** An extension that can be called. */
  record Loaded(LoadedExtension facts, SandboxExtension extension) {}

  List<LoadedExtension> all() {
    return List.copyOf(all);
  }

  Map<String, Loaded> usable() {
    return Map.copyOf(byId);
  }

  /** Loads what comes with the platform, each with the operator's settings for it. */
  void loadShipped(Path root) {
    for (Path folder : folders(root)) {
      shipped.add(folder.getFileName().toString());
      load(root, new Attempt(folder, true));
    }
  }

  /** Loads the operator's own, without those that are settings of a shipped one. */
  void loadOwn() {
    for (Path folder : folders(settings.root())) {
      if (!configuresShipped(folder)) {
        load(settings.root(), new Attempt(folder, false));
      }
    }
  }

  private boolean configuresShipped(Path folder) {
    try {
      return shipped.contains(folder.getFileName().toString()) && OwnSettings.only(folder);
    } catch (IOException e) {
      return false; // loading it tells why
    }
  }

  /** In order of names; what came first keeps its id. */
  private List<Path> folders(Path root) {
    if (!Files.isDirectory(root)) {
      return List.of();
    }
    try (Stream<Path> folders = Files.list(root)) {
      return folders.filter(Files::isDirectory).sorted().toList();
    } catch (IOException e) {
      fail(new Attempt(root, false), e.toString());
      return List.of();
    }
  }

  private void load(Path root, Attempt attempt) {
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
    private final boolean fromUs;
    private Optional<Path> configured = Optional.empty();
    private @Nullable ExtensionDescriptor descriptor;

    Attempt(Path folder, boolean fromUs) {
      this.folder = folder;
      this.fromUs = fromUs;
    }

    Loaded load() throws IOException, RefusedException, YamlException, ExtensionException {
      if (fromUs) {
        configured = settings.forShipped(folder);
      } else if (OwnSettings.only(folder)) {
        throw new RefusedException(
            "there is no jar in the folder, and no shipped extension of that name which its %s could configure; there are %s"
                .formatted(OwnSettings.FILE, shipped));
      }
      // Checked again as copies: in between they may have become others.
      List<Path> jars = check.jars(copies.of(folder, check.jars(folder)));
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
          provider.create(manifest.config(), new PlatformContext(narrowed, shared));
      return new Loaded(
          LoadedExtension.loaded(narrowed, folder.toString()), context.around(extension));
    }

    private Manifest manifest() throws IOException, YamlException, RefusedException {
      Path place = configured.orElse(folder);
      Path file = place.resolve(OwnSettings.FILE);
      if (Files.exists(file)) {
        FolderCheck.checkOwner(file);
      }
      return Manifest.of(place);
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
      String whole =
          configured.map(place -> reason + "; its settings are those in " + place).orElse(reason);
      return LoadedExtension.failed(id, version, folder.toString(), whole, known);
    }
  }
}
