package dev.sandboxer.platform.extension;

import dev.sandboxer.platform.installation.Setting;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.spi.Daemon;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.file.Files;
import java.nio.file.Path;

/** The boxd binaries of the distribution: {@code boxd/<os>-<arch>/boxd}. */
@ApplicationScoped
public class BoxdBinaries implements Daemon.Binaries {

  private final Settings settings;

  BoxdBinaries(Settings settings) {
    this.settings = settings;
  }

  @Override
  public Path find(String os, String arch) {
    Path distribution =
        settings
            .path(Setting.SANDBOXER_DIST)
            .orElseThrow(
                () ->
                    new IllegalArgumentException("SANDBOXER_DIST is not set, so there is no boxd"));
    Path binary = distribution.toAbsolutePath().resolve("boxd").resolve(os + "-" + arch + "/boxd");
    if (!Files.isExecutable(binary)) {
      throw new IllegalArgumentException(
          "there is no boxd for %s-%s: %s is missing or not executable"
              .formatted(os, arch, binary));
    }
    return binary;
  }

  /**
   * The one that runs on this machine.
   *
   * @return an executable file
   * @throws IllegalArgumentException if there is none
   */
  public Path ofThisMachine() {
    String arch = System.getProperty("os.arch", "");
    return find("linux", arch.equals("x86_64") ? "amd64" : arch.equals("aarch64") ? "arm64" : arch);
  }
}
