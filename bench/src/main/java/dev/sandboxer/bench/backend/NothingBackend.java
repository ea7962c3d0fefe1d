package dev.sandboxer.bench.backend;

import dev.sandboxer.bench.subject.Platform;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;

/** Puts the backend that does nothing, and a profile for it, into a platform's home. */
public final class NothingBackend {

  /** A label of sandboxes for which the backend has no room. */
  public static final String FULL = NothingExtension.FULL;

  /** The profile. */
  public static final String PROFILE = "nothing";

  private static final String TEXT =
      """
      id: profile.nothing
      version: 1
      description: A record without a sandbox
      extension: ext.nothing
      isolation: {level: process}
      resources: {cpus: 1, memory: 64Mi, pids: 16, workspace: 16Mi, tmp: 16Mi, open_files: 64}
      ttl: 10m
      """;

  private NothingBackend() {}

  /** Before its next start. */
  public static void addTo(Platform stopped) throws IOException {
    stopped.drop("extensions/nothing", jar());
    stopped.write("profiles/nothing.yaml", TEXT);
  }

  /**
   * The file that says what the backend lists: one name of an object a line, as {@code
   * SandboxIdentity.name()}.
   */
  public static Path listed(Platform platform) {
    return platform.home().resolve("state/nothing").resolve(NothingExtension.LISTED);
  }

  /** The benchmarks' own, which holds the backend. */
  private static Path jar() throws IOException {
    try {
      return Path.of(
          NothingBackend.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IOException("the benchmarks' jar has no path", e);
    }
  }
}
