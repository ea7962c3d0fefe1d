package dev.sandboxer.cli.client;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The platform of one home on this machine. A platform that was killed leaves its files behind, and
 * another program may listen on its port since: what they say counts only while the process of
 * `run/platform.pid` lives.
 */
record HomePlatform(Path home) {

  /** Where it listens; empty unless it runs and has written that down. */
  Optional<String> url() {
    return read("url").filter(_ -> running());
  }

  /** The administrator's key that it made at its first start. */
  Optional<String> key() {
    return read("admin.key");
  }

  /** A process id alone may be another process's by now; with its start time it is not. */
  private boolean running() {
    List<String> process = words(read("run/platform.pid").orElse(""));
    if (process.size() != 2) {
      return false;
    }
    String stat = read("/proc/" + process.getFirst() + "/stat").orElse("");
    // The name in parentheses may hold spaces: the state is next to it, field 22 the 20th after it.
    List<String> fields = words(stat.substring(stat.lastIndexOf(')') + 1));
    return fields.size() > 19
        && !fields.getFirst().matches("[ZX]")
        && fields.get(19).equals(process.getLast());
  }

  private Optional<String> read(String file) {
    try {
      return Optional.of(Files.readString(home.resolve(file)).strip())
          .filter(text -> !text.isEmpty());
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static List<String> words(String text) {
    return List.of(text.strip().split("\\s+", -1));
  }

  @Override
  public String toString() {
    return "home " + home;
  }
}
