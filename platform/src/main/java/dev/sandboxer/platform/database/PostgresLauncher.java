package dev.sandboxer.platform.database;

import dev.sandboxer.platform.installation.StartupException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/**
 * Starts PostgreSQL's programs. They refuse root, so root's processes get a user namespace in which
 * they are not root or, where those are closed, the user {@code nobody}. The server ends with the
 * thread that started it.
 */
final class PostgresLauncher {

  // initdb wants a user that has a name; this one is everywhere.
  private static final String OWN_USER = "nobody";
  private static final String OWN_GROUP = "65534";
  private static final Path OPEN_CACHE = Path.of("/var/tmp/sandboxer");

  private final List<String> prefix;
  private final boolean ownUser;

  private PostgresLauncher(List<String> prefix, boolean ownUser) {
    this.prefix = List.copyOf(prefix);
    this.ownUser = ownUser;
  }

  static PostgresLauncher forThisUser() throws IOException, InterruptedException {
    if (userOf(Path.of("/proc", Long.toString(ProcessHandle.current().pid()))) != 0) {
      return new PostgresLauncher(List.of(), false);
    }
    List<String> namespace = List.of("unshare", "-U", "--");
    if (works(namespace)) {
      return new PostgresLauncher(namespace, false);
    }
    if (works(asOwnUser())) {
      return new PostgresLauncher(asOwnUser(), true);
    }
    throw new StartupException(
        "PostgreSQL does not run as root, and neither 'unshare -U' nor 'setpriv --reuid' works here: run the platform as another user, or set SANDBOXER_DB_URL");
  }

  private static boolean works(List<String> prefix) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(prefix);
    command.add("true");
    return new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start()
            .waitFor()
        == 0;
  }

  // It may search the home, which is closed to other users, and nothing more.
  private static List<String> asOwnUser() {
    String only = "-all,+dac_read_search";
    return List.of(
        "setpriv",
        "--reuid=" + OWN_USER,
        "--regid=" + OWN_GROUP,
        "--clear-groups",
        "--inh-caps=" + only,
        "--ambient-caps=" + only,
        "--bounding-set=" + only,
        "--");
  }

  /** Where its programs have to be: a user of its own does not find them in a closed folder. */
  Path cache(Path usual) throws IOException {
    if (!ownUser) {
      return usual;
    }
    if (Files.notExists(OPEN_CACHE)) {
      Files.createDirectory(OPEN_CACHE);
      Files.setPosixFilePermissions(OPEN_CACHE, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    if (userOf(OPEN_CACHE) != 0) {
      throw new StartupException(OPEN_CACHE + " belongs to another user and must belong to root");
    }
    return OPEN_CACHE;
  }

  /** Makes an empty folder that the programs may write. */
  void makeFolder(Path folder) throws IOException {
    Files.createDirectory(folder);
    if (ownUser) {
      var users = folder.getFileSystem().getUserPrincipalLookupService();
      Files.setOwner(folder, users.lookupPrincipalByName(OWN_USER));
    }
  }

  private static int userOf(Path path) throws IOException {
    return (Integer) Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
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
