package dev.sandboxer.loading;

import dev.sandboxer.spi.ExtensionConfig;
import dev.sandboxer.spi.ExtensionDescriptor;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.SandboxExtensionProvider;
import dev.sandboxer.spi.loading.ExtensionClassLoader;
import dev.sandboxer.spi.secret.SecretProvider;
import dev.sandboxer.spi.sink.EventSinkProvider;
import dev.sandboxer.yaml.YamlException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.ServiceConfigurationError;

/**
 * Looks at one extension, kind of sink or kind of secret store as the platform would when it
 * starts, and at what cannot work later. Its provider is made and described; an extension is made
 * as well, and closed without having been asked for anything.
 */
public final class ExtensionCheck {

  private final Path place;
  private final Findings findings = new Findings();
  private Optional<ExtensionDescriptor> descriptor = Optional.empty();
  private Optional<PluginDescription> sink = Optional.empty();
  private Optional<PluginDescription> store = Optional.empty();

  private ExtensionCheck(Path place) {
    this.place = place;
  }

  /**
   * What was found.
   *
   * @param findings in the order of looking
   * @param descriptor of an extension, narrowed as it would be here, empty if it could not be read
   * @param sink what a sink says of itself, empty if there is none or it could not be read
   * @param store the same of a store of secrets
   */
  public record Report(
      List<Finding> findings,
      Optional<ExtensionDescriptor> descriptor,
      Optional<PluginDescription> sink,
      Optional<PluginDescription> store) {
    /**
     * Whether nothing was bad.
     *
     * @return true if all is as it must be
     */
    public boolean good() {
      return findings.stream().allMatch(Finding::ok);
    }
  }

  /**
   * Looks at a jar, or at a folder of jars with or without {@code extension.yaml}.
   *
   * @param place the jar or folder
   * @return what was found
   */
  public static Report of(Path place) {
    ExtensionCheck check = new ExtensionCheck(place);
    check.look();
    return new Report(check.findings.all(), check.descriptor, check.sink, check.store);
  }

  private void look() {
    List<Path> jars;
    try {
      jars = jars();
      findings.good(
          "jars", Findings.some(jars.stream().map(jar -> jar.getFileName().toString()).toList()));
      contents(JarContents.of(jars));
    } catch (RefusedException | IOException e) {
      findings.bad("jars", e);
      return;
    }
    try (ExtensionClassLoader loader = ExtensionClassLoader.of("check", jars)) {
      providers(loader);
    } catch (IOException e) {
      findings.bad("jars", e);
    }
  }

  private List<Path> jars() throws IOException, RefusedException {
    if (Files.isDirectory(place)) {
      return FolderCheck.with(Optional.empty()).jars(place);
    }
    FolderCheck.checkFormat(place);
    return List.of(place);
  }

  private void contents(JarContents contents) {
    if (contents.shared().isEmpty()) {
      findings.good("shared classes", "none is bundled");
    } else {
      findings.bad(
          "shared classes",
          "the platform lends these, so copies are never used: "
              + Findings.some(contents.shared())
              + "; give core-api and JSpecify the scope provided");
    }
    classFiles(contents);
    if (!contents.constructors().isEmpty()) {
      findings.bad(
          "constructors",
          "these values get further components, so use their builders and with methods: "
              + Findings.some(contents.constructors()));
    }
    nativeCode(contents);
  }

  private void classFiles(JarContents contents) {
    int java = Runtime.version().feature();
    if (!contents.tooNew().isEmpty()) {
      findings.bad(
          "class files", "Java " + java + " cannot read " + Findings.some(contents.tooNew()));
    } else if (!contents.preview().isEmpty()) {
      findings.bad(
          "class files", "these need --enable-preview: " + Findings.some(contents.preview()));
    } else {
      findings.good("class files", "for Java " + contents.newest() + " or earlier");
    }
  }

  private void nativeCode(JarContents contents) {
    String here = "linux-" + (System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64");
    if (contents.natives().isEmpty()) {
      findings.good("native code", "none");
    } else if (contents.machines().contains(here)) {
      findings.good("native code", "for " + String.join(", ", contents.machines()));
    } else {
      findings.bad(
          "native code",
          "none is for this machine (%s): %s"
              .formatted(
                  here,
                  Findings.some(
                      contents.natives().stream().map(JarContents.Native::name).toList())));
    }
  }

  /** Jars may be several; of what names none, the report says what an extension lacks. */
  private void providers(ExtensionClassLoader loader) {
    boolean ofSink = names(loader, EventSinkProvider.class);
    boolean ofStore = names(loader, SecretProvider.class);
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(loader);
    try {
      boolean ofExtension = names(loader, SandboxExtensionProvider.class);
      if (ofExtension || !(ofSink || ofStore)) {
        String orElse =
            ofExtension
                ? ""
                : "; a sink's name one EventSinkProvider there, a secret store's one SecretProvider";
        provider(loader, SandboxExtensionProvider.class, orElse).ifPresent(this::extension);
      }
      if (ofSink) {
        provider(loader, EventSinkProvider.class, "").ifPresent(this::sink);
      }
      if (ofStore) {
        provider(loader, SecretProvider.class, "").ifPresent(this::store);
      }
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  private static boolean names(ExtensionClassLoader loader, Class<?> service) {
    return loader.findResource("META-INF/services/" + service.getName()) != null;
  }

  private <P> Optional<P> provider(ExtensionClassLoader loader, Class<P> service, String orElse) {
    try {
      P provider = loader.only(service);
      findings.good("provider", provider.getClass().getName());
      return Optional.of(provider);
    } catch (ExtensionException e) {
      findings.bad("provider", e.getMessage() + orElse);
    } catch (RuntimeException | LinkageError | ServiceConfigurationError e) {
      findings.bad("provider", e);
    }
    return Optional.empty();
  }

  private void extension(SandboxExtensionProvider provider) {
    ExtensionDescriptor declared;
    try {
      declared = provider.descriptor();
      ApiVersion.require(declared);
    } catch (RefusedException | RuntimeException | LinkageError e) {
      findings.bad("descriptor", e);
      return;
    }
    findings.good(
        "descriptor",
        "%s %s, API version %d"
            .formatted(declared.id(), declared.version(), declared.apiVersion()));
    descriptor = Optional.of(declared);
    manifest(declared).ifPresent(config -> create(provider, declared, config));
  }

  private Optional<ExtensionConfig> manifest(ExtensionDescriptor declared) {
    try {
      Manifest manifest = Files.isDirectory(place) ? Manifest.of(place) : Manifest.NONE;
      descriptor = Optional.of(manifest.narrow(declared));
      int settings = manifest.config().values().size();
      findings.good(
          "extension.yaml",
          manifest.exists()
              ? "%d setting%s".formatted(settings, settings == 1 ? "" : "s")
              : "not there, nothing is narrowed");
      return Optional.of(manifest.config());
    } catch (YamlException e) {
      findings.bad("extension.yaml", e.sentence());
    } catch (IOException | RuntimeException e) {
      findings.bad("extension.yaml", e);
    }
    return Optional.empty();
  }

  private void create(
      SandboxExtensionProvider provider, ExtensionDescriptor declared, ExtensionConfig config) {
    try (TrialContext context = TrialContext.of(declared, System.getenv())) {
      provider.create(config, context).close();
      findings.good("create", "made and closed");
    } catch (ExtensionException e) {
      findings.bad("create", String.valueOf(e.getMessage()));
    } catch (IOException | RuntimeException | LinkageError e) {
      findings.bad("create", e);
    }
  }

  private void sink(EventSinkProvider provider) {
    sink = described("kind of sink", () -> PluginDescription.of(provider));
  }

  private void store(SecretProvider provider) {
    store = described("kind of secret store", () -> PluginDescription.of(provider));
  }

  private interface Describing {
    PluginDescription describe() throws RefusedException;
  }

  private Optional<PluginDescription> described(String what, Describing provider) {
    try {
      PluginDescription said = provider.describe();
      findings.good(what, said.kind());
      findings.good(
          "settings",
          said.settings().isEmpty()
              ? "it names none"
              : String.join(", ", said.settings().stream().sorted().toList()));
      return Optional.of(said);
    } catch (RefusedException | RuntimeException | LinkageError e) {
      findings.bad(what, e);
      return Optional.empty();
    }
  }
}
