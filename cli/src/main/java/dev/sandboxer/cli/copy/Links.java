package dev.sandboxer.cli.copy;

import dev.sandboxer.cli.Failure;
import dev.sandboxer.dataplane.file.InsideFile;
import dev.sandboxer.dataplane.file.SandboxFiles;
import java.nio.file.Path;
import java.util.Optional;

/** Follows links inside a sandbox to what they lead to. */
final class Links {
  private static final int MOST = 16;

  private final SandboxFiles files;

  Links(SandboxFiles files) {
    this.files = files;
  }

  /** What is at the end of a path; empty where nothing is. */
  Optional<InsideFile> end(String path) throws InterruptedException {
    String place = path;
    for (int count = 0; count < MOST; count++) {
      Optional<InsideFile> there = files.stat(place);
      if (there.isEmpty() || there.get().target().isEmpty()) {
        return there;
      }
      place = Path.of(place).resolveSibling(there.get().target()).normalize().toString();
    }
    throw Failure.sandboxer(path + " is a link that leads through more than " + MOST + " others");
  }
}
