package dev.sandboxer.ext.nsjail;

import dev.sandboxer.spi.ExtensionContext;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Where nsjail is: the setting {@code SANDBOXER_EXT_NSJAIL_PATH}, for which the platform also takes
 * {@code SANDBOXER_NSJAIL}, else the platform's tools, else the PATH. Looked for on each use, as
 * set-up may fetch it while the platform runs.
 */
record NsjailPath(String setting, Path tools, String searchPath) {

  /** The key among the extension's settings. */
  static final String SETTING = "path";

  NsjailPath(ExtensionContext context) {
    this(
        context.setting(SETTING),
        context.toolsFolder(),
        Optional.ofNullable(System.getenv("PATH")).orElse(""));
  }

  /** The first that is an executable file; a setting that names none is not passed over. */
  Optional<Path> find() {
    if (!setting.isBlank()) {
      return executable(Path.of(setting));
    }
    return Stream.concat(
            Stream.of(tools.resolve("nsjail").resolve("nsjail")),
            Stream.of(searchPath.split(File.pathSeparator, -1))
                .filter(entry -> !entry.isBlank())
                .map(entry -> Path.of(entry, "nsjail")))
        .flatMap(path -> executable(path).stream())
        .findFirst();
  }

  private static Optional<Path> executable(Path path) {
    try {
      return Files.isExecutable(path) ? Optional.of(path.toRealPath()) : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
