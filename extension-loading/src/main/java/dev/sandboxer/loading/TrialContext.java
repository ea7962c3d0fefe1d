package dev.sandboxer.loading;

import dev.sandboxer.spi.ExtensionContext;
import dev.sandboxer.spi.ExtensionDescriptor;
import dev.sandboxer.spi.SandboxIdentity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What an extension is lent while it is tried without a platform: empty folders, a boxd that is an
 * empty file, and the settings of the environment. It never signs what it could be shown again.
 *
 * @param descriptor of the extension
 * @param folder for everything, removed after the trial
 * @param environment of the process
 */
record TrialContext(ExtensionDescriptor descriptor, Path folder, Map<String, String> environment)
    implements ExtensionContext, AutoCloseable {

  /** In a folder of its own. */
  static TrialContext of(ExtensionDescriptor descriptor, Map<String, String> environment)
      throws IOException {
    return new TrialContext(descriptor, Files.createTempDirectory("sandboxer-check-"), environment);
  }

  @Override
  public String installation() {
    return "00000000-0000-4000-8000-000000000000";
  }

  @Override
  public Path stateFolder() {
    return made("state");
  }

  @Override
  public Path runFolder() {
    return made("run");
  }

  @Override
  public Path toolsFolder() {
    return folder.resolve("tools");
  }

  private Path made(String name) {
    try {
      return Files.createDirectories(
          folder.resolve(name),
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public Path boxd(String os, String arch) {
    try {
      Path file = made("boxd").resolve(os + "-" + arch);
      Files.write(file, new byte[0]);
      return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String setting(String key) {
    if (!descriptor.settings().contains(key)) {
      throw new IllegalArgumentException(
          "%s does not declare the setting '%s', only %s"
              .formatted(descriptor.id(), key, descriptor.settings()));
    }
    String name = descriptor.id().substring(descriptor.id().indexOf('.') + 1) + "_" + key;
    return environment.getOrDefault(
        "SANDBOXER_EXT_" + name.replace('-', '_').toUpperCase(Locale.ROOT), "");
  }

  @Override
  public String sign(SandboxIdentity identity) {
    return "unsigned";
  }

  @Override
  public boolean verify(SandboxIdentity identity, String signature) {
    return false;
  }

  @Override
  public InstantSource clock() {
    return InstantSource.system();
  }

  @Override
  public void close() throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
