package dev.sandboxer.ext.docker;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The system calls that the Engine lets through. The list is boxd's own, which a test of boxd's
 * compares; boxd installs the same once more, finer, before it listens.
 */
record Seccomp(String profile) {

  static Seccomp load() {
    try (InputStream in = Seccomp.class.getResourceAsStream("seccomp.json")) {
      if (in == null) {
        throw new IllegalStateException("seccomp.json is not in the jar of ext-docker");
      }
      return new Seccomp(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** An Engine without seccomp refuses a profile; there, boxd's own filter is the only one. */
  List<String> options(EngineFacts facts) {
    return facts.seccomp()
        ? List.of("no-new-privileges:true", "seccomp=" + profile)
        : List.of("no-new-privileges:true");
  }
}
