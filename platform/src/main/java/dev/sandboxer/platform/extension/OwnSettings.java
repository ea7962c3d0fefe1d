package dev.sandboxer.platform.extension;

import dev.sandboxer.loading.FolderCheck;
import dev.sandboxer.loading.RefusedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The operator's settings for shipped extensions: a folder of such a one's name, with {@code
 * extension.yaml} and without jars.
 *
 * @param root {@code $SANDBOXER_HOME/extensions}
 */
record OwnSettings(Path root) {

  static final String FILE = "extension.yaml";

  /** The folder with the settings for a shipped one; empty if it has none. */
  Optional<Path> forShipped(Path extension) throws IOException, RefusedException {
    Path folder = root.resolve(extension.getFileName().toString());
    if (!only(folder)) {
      return Optional.empty();
    }
    FolderCheck.checkOwner(root);
    FolderCheck.checkOwner(folder);
    return Optional.of(folder);
  }

  /** Whether a folder has settings and nothing that could be loaded. */
  static boolean only(Path folder) throws IOException {
    if (!Files.exists(folder.resolve(FILE))) {
      return false;
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files.noneMatch(file -> file.toString().endsWith(".jar"));
    }
  }
}
