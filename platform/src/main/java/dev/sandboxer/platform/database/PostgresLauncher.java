package dev.sandboxer.platform.database;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Starts PostgreSQL's programs. They refuse root, so root's processes get a user namespace in which
 * they are not root; and the server ends with the thread that started it.
 */
final class PostgresLauncher {

  private final List<String> prefix;

  private PostgresLauncher(List<String> prefix) {
    this.prefix = List.copyOf(prefix);
  }

  static PostgresLauncher forThisUser() throws IOException {
    int uid = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    return new PostgresLauncher(uid == 0 ? List.of("unshare", "-U", "--") : List.of());
  }

  /** A program that ends by itself. */
  ProcessBuilder program(List<String> command, Path log) {
    return builder(prefix, command, log);
  }

  /** A server that gets SIGINT, a fast shutdown, when the calling thread ends. */
  ProcessBuilder server(List<String> command, Path log) {
    List<String> all = new ArrayList<>(prefix);
    all.addAll(List.of("setpriv", "--pdeathsig", "INT", "--"));
    return builder(all, command, log);
  }

  private static ProcessBuilder builder(List<String> prefix, List<String> command, Path log) {
    List<String> all = new ArrayList<>(prefix);
    all.addAll(command);
    ProcessBuilder builder =
        new ProcessBuilder(all)
            .redirectInput(new File("/dev/null"))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    String path = builder.environment().getOrDefault("PATH", "/usr/bin:/bin");
    builder.environment().clear();
    builder.environment().put("PATH", path);
    // Messages are read for their meaning, so they must not be translated.
    builder.environment().put("LC_ALL", "C");
    return builder;
  }
}
