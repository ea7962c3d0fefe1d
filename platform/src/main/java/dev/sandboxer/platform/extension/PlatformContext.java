package dev.sandboxer.platform.extension;

import dev.sandboxer.platform.installation.Home;
import dev.sandboxer.platform.installation.IdentitySigner;
import dev.sandboxer.platform.installation.Installation;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.spi.ExtensionContext;
import dev.sandboxer.spi.ExtensionDescriptor;
import dev.sandboxer.spi.SandboxIdentity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.InstantSource;

/** What the platform gives one extension. */
final class PlatformContext implements ExtensionContext {

  private final ExtensionDescriptor descriptor;
  private final String name;
  private final SharedServices shared;

  PlatformContext(ExtensionDescriptor descriptor, SharedServices shared) {
    this.descriptor = descriptor;
    this.name = descriptor.id().substring(descriptor.id().indexOf('.') + 1);
    this.shared = shared;
  }

  /** What all extensions share. */
  record SharedServices(
      Home home,
      Settings settings,
      Installation installation,
      IdentitySigner signer,
      Clock clock) {}

  @Override
  public String installation() {
    return shared.installation().id();
  }

  @Override
  public Path stateFolder() {
    return folder(shared.home().resolve("state").resolve(name));
  }

  @Override
  public Path runFolder() {
    return folder(shared.home().run().resolve(name));
  }

  private static Path folder(Path path) {
    try {
      return Files.createDirectories(
          path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } catch (IOException e) {
      throw new UncheckedIOException("folder " + path + " cannot be made", e);
    }
  }

  @Override
  public Path toolsFolder() {
    return shared.home().resolve("tools");
  }

  @Override
  public Path boxd(String os, String arch) {
    return new BoxdBinaries(shared.settings()).find(os, arch);
  }

  @Override
  public String setting(String key) {
    if (!descriptor.settings().contains(key)) {
      throw new IllegalArgumentException(
          "%s does not declare the setting '%s', only %s"
              .formatted(descriptor.id(), key, descriptor.settings()));
    }
    return shared.settings().extensions().value(descriptor.id(), key).orElse("");
  }

  @Override
  public String sign(SandboxIdentity identity) {
    return shared.signer().sign(identity);
  }

  @Override
  public boolean verify(SandboxIdentity identity, String signature) {
    return shared.signer().verify(identity, signature);
  }

  @Override
  public InstantSource clock() {
    return shared.clock();
  }
}
