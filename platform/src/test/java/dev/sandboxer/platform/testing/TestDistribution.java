package dev.sandboxer.platform.testing;

import dev.sandboxer.testing.GuideClasses;
import dev.sandboxer.testing.faulty.FaultyBackend;
import dev.sandboxer.testing.faulty.Way;
import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/**
 * A distribution with the extension of {@code docs/extension-guide.md}: a sandbox is a folder and a
 * real boxd, as a plain process of the tests' own user. Nothing is isolated, and nothing but the
 * platform is tried.
 */
public final class TestDistribution implements QuarkusTestResourceLifecycleManager {

  private static final String SERVICE =
      "META-INF/services/dev.sandboxer.spi.SandboxExtensionProvider";

  private static final String LOCAL =
      """
      id: profile.local
      version: 1
      description: A plain process
      extension: ext.process
      isolation: {level: process}
      best_effort: [uid, memory, pids, cpus, workspace, tmp, open_files]
      """;

  private final TestHome folder = TestHome.create();

  @Override
  public Map<String, String> start() {
    try {
      Path boxd = folder.path().resolve("boxd/linux-" + BuiltBoxd.architecture() + "/boxd");
      Files.createDirectories(boxd.getParent());
      Files.createSymbolicLink(boxd, BuiltBoxd.binary());
      pack(folder.path().resolve("extensions"));
      Path profiles = Files.createDirectories(folder.path().resolve("profiles"));
      Files.writeString(profiles.resolve("local.yaml"), LOCAL);
      return Map.of("SANDBOXER_DIST", folder.path().toString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void pack(Path extensions) throws IOException {
    try (TestHome sources = TestHome.create()) {
      Path classes = GuideClasses.into(sources.path());
      Path folder = Files.createDirectories(extensions.resolve("process"));
      try (OutputStream out = Files.newOutputStream(folder.resolve("process.jar"));
          JarOutputStream packed = new JarOutputStream(out)) {
        GuideClasses.pack(classes, packed);
        packed.putNextEntry(new JarEntry(SERVICE));
        packed.write("demo.ProcessProvider".getBytes(StandardCharsets.UTF_8));
      }
      new FaultyBackend("faulty", sources.path()).dropInto(extensions, classes, Way.SOCKET);
    }
  }

  /** What tests left running ends too: these are no jails, which would end by themselves. */
  @Override
  public void stop() {
    ProcessHandle.allProcesses()
        .filter(process -> runs(process, folder.path()))
        .flatMap(boxd -> Stream.concat(boxd.descendants(), Stream.of(boxd)))
        .forEach(ProcessHandle::destroyForcibly);
    folder.close();
  }

  private static boolean runs(ProcessHandle process, Path below) {
    try {
      Path line = Path.of("/proc", Long.toString(process.pid()), "cmdline");
      return Files.readString(line, StandardCharsets.ISO_8859_1).startsWith(below + "/");
    } catch (IOException e) {
      return false; // it has ended
    }
  }
}
