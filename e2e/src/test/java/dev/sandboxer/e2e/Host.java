package dev.sandboxer.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What the kernel says is there, without asking the platform. */
final class Host {

  private static final Pattern JAIL = Pattern.compile(".*?([a-z][a-z0-9]{19}-\\d+-\\d+)$");

  private Host() {}

  /** This machine's, in Go's words. */
  static String architecture() {
    return System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64";
  }

  /** Names of all jails that have a cgroup: {@code <raw id>-<generation>-<attempt>}. */
  static Set<String> jails() {
    Set<String> names = new TreeSet<>();
    try {
      Files.walkFileTree(
          Path.of("/sys/fs/cgroup"),
          Set.of(),
          8,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes attributes) {
              Matcher match = JAIL.matcher(dir.getFileName().toString());
              if (match.matches()) {
                names.add(match.group(1));
              }
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) {
              return FileVisitResult.CONTINUE; // gone meanwhile
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return names;
  }

  /** Whether it ends as the names of jails, containers and their folders do. */
  static boolean isSandboxName(String name) {
    return JAIL.matcher(name).matches();
  }

  /** Names of the jails of one sandbox. */
  static Set<String> jailsOf(String sandbox) {
    String raw = sandbox.substring("sb_".length());
    Set<String> names = jails();
    names.removeIf(name -> !name.startsWith(raw + "-"));
    return names;
  }

  /** Processes whose command line contains all of these texts. */
  static Stream<ProcessHandle> processes(String... texts) {
    return ProcessHandle.allProcesses().filter(process -> matches(process.pid(), texts));
  }

  private static boolean matches(long pid, String... texts) {
    try {
      String line =
          Files.readString(
              Path.of("/proc", Long.toString(pid), "cmdline"),
              java.nio.charset.StandardCharsets.ISO_8859_1);
      return Stream.of(texts).allMatch(line::contains);
    } catch (IOException e) {
      return false;
    }
  }

  /** Running processes in the cgroups of one sandbox; what only waits to be reaped is over. */
  static Stream<ProcessHandle> processesOf(String sandbox) {
    String raw = sandbox.substring("sb_".length()) + "-";
    return ProcessHandle.allProcesses().filter(process -> inGroup(process, raw));
  }

  /** Whether a process runs in a control group that has this text in its path. */
  static boolean inGroup(ProcessHandle process, String text) {
    try {
      Path proc = Path.of("/proc", Long.toString(process.pid()));
      return Files.readString(proc.resolve("cgroup")).contains(text)
          && !Files.readString(proc.resolve("stat")).contains(") Z ");
    } catch (IOException e) {
      return false;
    }
  }
}
