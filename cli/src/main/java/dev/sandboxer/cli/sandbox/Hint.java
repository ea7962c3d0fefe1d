package dev.sandboxer.cli.sandbox;

import dev.sandboxer.cli.dataplane.CommandStatus;
import dev.sandboxer.dataplane.exec.CommandEnd;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What a failed command ran against, as far as the kernel's count and its own words say, and the
 * key of the profile that would change that.
 *
 * @param key of the profile
 * @param text for a person
 */
public record Hint(String key, String text) {
  private static final List<Rule> RULES =
      List.of(
          new Rule(
              "network.mode",
              "what is outside cannot be reached unless the profile's network.mode says so",
              "could not resolve host|temporary failure in name resolution"
                  + "|name or service not known|name does not resolve|no such host is known"
                  + "|: no such host\\b|unknownhostexception|network is unreachable|ENETUNREACH"
                  + "|EAI_AGAIN|getaddrinfo ENOTFOUND|unable to resolve host|bad address '"),
          new Rule(
              "resources.workspace, resources.tmp",
              "no room is left: the profile's resources.workspace is the size of /workspace,"
                  + " resources.tmp that of /tmp",
              "no space left on device|ENOSPC|disk quota exceeded"),
          new Rule(
              "mounts",
              "only /workspace, /tmp and what the profile's mounts bring with mode rw can be"
                  + " written",
              "read-only file system|EROFS"),
          new Rule(
              "resources.pids",
              "no further process or thread could be started: the profile's resources.pids is how"
                  + " many there may be",
              "fork: retry|cannot fork|can't fork|fork failed|fork: resource temporarily unavailable"
                  + "|can't start new thread|unable to create native thread"
                  + "|pthread_create failed|spawn \\S+ EAGAIN|BlockingIOError: \\[Errno 11\\]"),
          new Rule(
              "resources.open_files",
              "too many files are open: the profile's resources.open_files is how many a process"
                  + " may open",
              "too many open files|EMFILE"),
          new Rule(
              "resources.memory",
              "memory ran out: the profile's resources.memory is how much there is",
              "cannot allocate memory|ENOMEM|memoryerror|outofmemoryerror|heap out of memory"
                  + "|std::bad_alloc|out of memory"));

  private static final Hint KILLED =
      new Hint(
          "resources.memory",
          "it was killed, as the kernel does when memory runs out: the profile's resources.memory"
              + " is how much there is");
  private static final int BY_KILL = 137;

  /**
   * The hint that fits.
   *
   * @param errors the last of the command's standard error
   * @return empty for a command that did well, was timed out, or failed for a reason of its own
   */
  public static Optional<Hint> of(CommandEnd end, String errors) {
    if (CommandStatus.of(end) == 0 || end.timedOut()) {
      return Optional.empty();
    }
    if (end.oomKills() > 0) {
      return Optional.of(outOfMemory(end.oomKills()));
    }
    return RULES.stream()
        .filter(rule -> rule.pattern().matcher(errors).find())
        .map(rule -> new Hint(rule.key(), rule.text()))
        .findFirst()
        .or(() -> CommandStatus.of(end) == BY_KILL ? Optional.of(KILLED) : Optional.empty());
  }

  private static Hint outOfMemory(long kills) {
    return new Hint(
        "resources.memory",
        "the kernel ended %d %s for lack of memory: the profile's resources.memory is how much there is"
            .formatted(kills, kills == 1 ? "process" : "processes"));
  }

  private record Rule(String key, String text, Pattern pattern) {
    Rule(String key, String text, String words) {
      this(key, text, Pattern.compile(words, Pattern.CASE_INSENSITIVE));
    }
  }
}
