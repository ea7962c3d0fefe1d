package dev.sandboxer.loading;

import dev.sandboxer.spi.ExtensionDescriptor;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.SandboxExtensionProvider;
import dev.sandboxer.spi.loading.ExtensionClassLoader;
import dev.sandboxer.yaml.YamlException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Looks at one extension as the platform would when it starts, and at what can not work later. Its
 * provider is made and described; nothing is created.
 */
public final class ExtensionCheck {
  private static final int SHOWN = 3;

  private final Path place;
  private final List<Finding> findings = new ArrayList<>();
  private Optional<ExtensionDescriptor> descriptor = Optional.empty();

  private ExtensionCheck(Path place) {
    this.place = place;
  }

  /**
   * What was found.
   *
   * @param findings in the order of looking
   * @param descriptor narrowed as it would be here, empty if it could not be read
   */
  public record Report(List<Finding> findings, Optional<ExtensionDescriptor> descriptor) {
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
    return new Report(List.copyOf(check.findings), check.descriptor);
  }

  private void look() {
    List<Path> jars;
    try {
      jars = jars();
      good("jars", names(jars.stream().map(jar -> jar.getFileName().toString()).toList()));
      contents(JarContents.of(jars));
    } catch (RefusedException e) {
      bad("jars", String.valueOf(e.getMessage()));
      return;
    } catch (IOException e) {
      bad("jars", e.toString());
      return;
    }
    try (ExtensionClassLoader loader = ExtensionClassLoader.of("check", jars)) {
      provider(loader).ifPresent(this::describe);
    } catch (IOException e) {
      bad("jars", e.toString());
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
      good("shared classes", "none is bundled");
    } else {
      bad(
          "shared classes",
          "the platform lends these, so copies are never used: "
              + names(contents.shared())
              + "; give core-api and JSpecify the scope provided");
    }
    classFiles(contents);
    nativeCode(contents);
  }

  private void classFiles(JarContents contents) {
    int java = Runtime.version().feature();
    if (!contents.tooNew().isEmpty()) {
      bad("class files", "Java " + java + " can not read " + names(contents.tooNew()));
    } else if (!contents.preview().isEmpty()) {
      bad("class files", "these need --enable-preview: " + names(contents.preview()));
    } else {
      good("class files", "for Java " + contents.newest() + " or earlier");
    }
  }

  private void nativeCode(JarContents contents) {
    String here = "linux-" + (System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64");
    if (contents.natives().isEmpty()) {
      good("native code", "none");
    } else if (contents.machines().contains(here)) {
      good("native code", "for " + String.join(", ", contents.machines()));
    } else {
      bad(
          "native code",
          "none is for this machine (%s): %s"
              .formatted(
                  here, names(contents.natives().stream().map(JarContents.Native::name).toList())));
    }
  }

  private Optional<SandboxExtensionProvider> provider(ExtensionClassLoader loader) {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(loader);
    try {
      SandboxExtensionProvider provider = loader.provider();
      good("provider", provider.getClass().getName());
      return Optional.of(provider);
    } catch (ExtensionException e) {
      bad("provider", String.valueOf(e.getMessage()));
    } catch (RuntimeException | LinkageError | ServiceConfigurationError e) {
      bad("provider", describe(e));
    } finally {
      thread.setContextClassLoader(before);
    }
    return Optional.empty();
  }

  private void describe(SandboxExtensionProvider provider) {
    ExtensionDescriptor declared;
    try {
      declared = provider.descriptor();
      ApiVersion.require(declared);
    } catch (RefusedException e) {
      bad("descriptor", String.valueOf(e.getMessage()));
      return;
    } catch (RuntimeException | LinkageError e) {
      bad("descriptor", describe(e));
      return;
    }
    good(
        "descriptor",
        "%s %s, API version %d"
            .formatted(declared.id(), declared.version(), declared.apiVersion()));
    descriptor = Optional.of(declared);
    manifest(declared);
  }

  private void manifest(ExtensionDescriptor declared) {
    try {
      Manifest manifest = Files.isDirectory(place) ? Manifest.of(place) : Manifest.NONE;
      descriptor = Optional.of(manifest.narrow(declared));
      int settings = manifest.config().values().size();
      good(
          "extension.yaml",
          manifest.exists()
              ? "%d setting%s".formatted(settings, settings == 1 ? "" : "s")
              : "not there, nothing is narrowed");
    } catch (YamlException e) {
      bad("extension.yaml", e.sentence());
    } catch (IOException | RuntimeException e) {
      bad("extension.yaml", e.toString());
    }
  }

  private static String describe(Throwable thrown) {
    @Nullable Throwable cause = thrown.getCause();
    return cause == null ? thrown.toString() : thrown + ", caused by " + describe(cause);
  }

  private static String names(List<String> names) {
    String shown = names.stream().limit(SHOWN).collect(Collectors.joining(", "));
    return names.size() > SHOWN ? shown + " and " + (names.size() - SHOWN) + " more" : shown;
  }

  private void good(String name, String detail) {
    findings.add(Finding.good(name, detail));
  }

  private void bad(String name, String detail) {
    findings.add(Finding.bad(name, detail));
  }
}
