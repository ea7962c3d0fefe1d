package dev.sandboxer.tck;

import dev.sandboxer.spi.SandboxExtensionProvider;
import dev.sandboxer.testing.GuideClasses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Class paths that each name one provider, as the jars of one extension would. */
final class Samples {
  private final Path folder;
  private final Path guide;

  Samples(Path folder) throws IOException {
    this.folder = folder;
    this.guide = GuideClasses.into(folder);
  }

  /** Where a sample is tried. */
  Environment environment(Class<? extends SandboxExtensionProvider> provider) {
    List<Path> path = new ArrayList<>(List.of(service(provider), guide));
    path.addAll(ClassPath.ofThisTest());
    return Environment.of(provider).classPath(path);
  }

  private Path service(Class<?> provider) {
    try {
      Path root = Files.createTempDirectory(folder, "service");
      Path services = Files.createDirectories(root.resolve("META-INF/services"));
      Files.writeString(
          services.resolve(SandboxExtensionProvider.class.getName()), provider.getName());
      return root;
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
