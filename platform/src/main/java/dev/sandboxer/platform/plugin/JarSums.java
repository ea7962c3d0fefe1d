package dev.sandboxer.platform.plugin;

import dev.sandboxer.loading.FolderCheck;
import dev.sandboxer.platform.installation.Setting;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.platform.installation.StartupException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** Which jars may be loaded: all that only the operator can write, or those of a list. */
public final class JarSums {

  private JarSums() {}

  /**
   * Reads the operator's list, if there is one.
   *
   * @param settings may name it
   * @return looks at folders of jars
   * @throws StartupException if the list cannot be read
   */
  public static FolderCheck check(Settings settings) {
    Optional<Path> list = settings.path(Setting.SANDBOXER_EXTENSION_SUMS);
    try {
      return FolderCheck.with(list);
    } catch (IOException e) {
      throw new StartupException(
          "SANDBOXER_EXTENSION_SUMS=%s cannot be read: %s".formatted(list.orElseThrow(), e), e);
    }
  }
}
