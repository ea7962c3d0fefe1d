package dev.sandboxer.testing;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * A real sshd of one test, for the user who runs the tests, with keys of its own and no trace on
 * the machine. Root's needs a user that the machine may lack: it sees its own list of users.
 */
public final class SshServer implements AutoCloseable {

  private static final boolean ROOT = "root".equals(System.getProperty("user.name"));

  /**
   * What only the server sees, if root runs the tests: it has a list of mounts of its own.
   *
   * @param user for the list of users, as {@code deploy:x:60101:60101::/tmp:/bin/sh}; or empty
   * @param group for the list of groups, as {@code docker:x:998:deploy}; or empty
   * @param mounts commands that mount something, for a shell
   */
  public record View(String user, String group, List<String> mounts) {

    /** As everybody sees the machine. */
    public static final View PLAIN = new View("", "", List.of());
  }

  private final Path folder;
  private final int port;
  private final View view;
  private final List<String> options;
  private final List<ProcessHandle> left = new ArrayList<>();
  private Process process;

  /**
   * Starts it.
   *
   * @param folder for its files, new or empty
   * @param options lines for its configuration, which come before the usual ones and win
   */
  public SshServer(Path folder, String... options) throws IOException {
    this(folder, View.PLAIN, options);
  }

  /**
   * Starts it with a view of its own.
   *
   * @param folder for its files, new or empty
   * @param view what only it sees
   * @param options lines for its configuration, which come before the usual ones and win
   */
  public SshServer(Path folder, View view, String... options) throws IOException {
    this.view = view;
    this.folder = Files.createDirectories(folder);
    this.port = FreePort.find();
    this.options = List.of(options);
    newHostKey();
    newKey("user", "ed25519", "");
    allow("user");
    this.process = launch();
  }

  public int port() {
    return port;
  }

  public static String user() {
    return System.getProperty("user.name");
  }

  /** A private key that is allowed to log in. */
  public Path key() {
    return folder.resolve("user");
  }

  /** Another private key. */
  public Path newKey(String name, String type, String passphrase, String... more)
      throws IOException {
    Path file = folder.resolve(name);
    List<String> command =
        new ArrayList<>(
            List.of("ssh-keygen", "-q", "-t", type, "-N", passphrase, "-f", file.toString()));
    command.addAll(List.of(more));
    run(command);
    return file;
  }

  /** Lets a key log in. */
  public void allow(String name) throws IOException {
    String line = Files.readString(folder.resolve(name + ".pub"));
    Path list = folder.resolve("authorized_keys");
    Files.writeString(list, (Files.exists(list) ? Files.readString(list) : "") + line);
  }

  /** How many logins it let in. */
  public long logins() throws IOException {
    try (Stream<String> lines = Files.lines(folder.resolve("log"))) {
      return lines.filter(line -> line.startsWith("Accepted publickey")).count();
    }
  }

  /** The fingerprint of the host key. */
  public String fingerprint() throws IOException {
    return run(List.of("ssh-keygen", "-l", "-f", folder.resolve("host.pub").toString()))
        .split(" ", -1)[1];
  }

  /** A file with the host key, hashed or not. */
  public Path knownHosts(boolean hashed) throws IOException {
    Path file = folder.resolve("known_hosts");
    Files.writeString(
        file, "[127.0.0.1]:" + port + " " + Files.readString(folder.resolve("host.pub")));
    if (hashed) {
      run(List.of("ssh-keygen", "-H", "-f", file.toString()));
    }
    return file;
  }

  /** Comes back with another host key. */
  public void changeHostKey() throws IOException {
    stop();
    newHostKey();
    process = launch();
  }

  /** Comes back. */
  public void start() throws IOException {
    process = launch();
  }

  /** Takes no more connections; those that are there stay. */
  public void stop() {
    left.addAll(process.descendants().toList());
    process.destroy();
    process.onExit().join();
  }

  /** The processes that serve connections. */
  public List<ProcessHandle> sessions() {
    return process.descendants().filter(one -> title(one).startsWith("sshd: ")).toList();
  }

  /** It keeps its connections, takes further ones, and answers nothing. */
  public void hang() throws IOException, InterruptedException {
    signal("STOP");
  }

  /** It answers again. */
  public void goOn() throws IOException, InterruptedException {
    signal("CONT");
  }

  private void signal(String name) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("kill", "-" + name));
    command.add(Long.toString(process.pid()));
    process.descendants().forEach(one -> command.add(Long.toString(one.pid())));
    var _ = new ProcessBuilder(command).start().waitFor();
  }

  private static String title(ProcessHandle one) {
    try {
      return Files.readString(Path.of("/proc/" + one.pid() + "/cmdline"));
    } catch (IOException e) {
      return "";
    }
  }

  private void newHostKey() throws IOException {
    Files.deleteIfExists(folder.resolve("host"));
    Files.deleteIfExists(folder.resolve("host.pub"));
    newKey("host", "ed25519", "");
  }

  private Process launch() throws IOException {
    List<String> lines = new ArrayList<>(options);
    // The user's own start-up files are none of a test's; of two such lines sshd takes the first.
    lines.add("SetEnv HOME=" + folder);
    lines.add("Port " + port);
    lines.add("ListenAddress 127.0.0.1");
    lines.add("HostKey " + folder.resolve("host"));
    lines.add("PidFile none");
    lines.add("AuthorizedKeysFile " + folder.resolve("authorized_keys"));
    lines.add("StrictModes no");
    lines.add("UsePAM no");
    lines.add("PasswordAuthentication no");
    lines.add("Subsystem sftp internal-sftp");
    Path config = Files.write(folder.resolve("sshd_config"), lines);
    Path log = folder.resolve("log");
    List<String> command = new ArrayList<>(List.of(program(), "-D", "-e", "-f", config.toString()));
    Process started =
        new ProcessBuilder(ROOT ? asRoot(command) : command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    await().atMost(Duration.ofMinutes(1)).until(() -> answers() || !started.isAlive());
    if (!started.isAlive()) {
      throw new IOException("sshd ended: " + Files.readString(log));
    }
    return started;
  }

  /** In a list of mounts of its own, where the list of users has sshd's. */
  private List<String> asRoot(List<String> command) throws IOException {
    List<String> mounts = new ArrayList<>();
    String users = Files.readString(Path.of("/etc/passwd"));
    String service =
        users.lines().anyMatch(line -> line.startsWith("sshd:"))
            ? ""
            : "sshd:x:65533:65534::/run/sshd:/usr/sbin/nologin\n";
    mounts.add(longer("/etc/passwd", service + view.user()));
    mounts.add(longer("/etc/group", view.group()));
    mounts.addAll(view.mounts());
    mounts.add("exec \"$@\"");
    Files.createDirectories(Path.of("/run/sshd"));
    List<String> whole =
        new ArrayList<>(
            List.of(
                "unshare",
                "-m",
                "--propagation",
                "slave",
                "sh",
                "-c",
                String.join(" && ", mounts),
                "sh"));
    whole.addAll(command);
    return whole;
  }

  /** A list of the machine with further lines, mounted over it. */
  private String longer(String list, String lines) throws IOException {
    Path own = folder.resolve(Path.of(list).getFileName());
    Files.writeString(own, Files.readString(Path.of(list)) + lines + "\n");
    Files.setPosixFilePermissions(own, PosixFilePermissions.fromString("rw-r--r--"));
    return "mount --bind %s %s".formatted(own, list);
  }

  private boolean answers() {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.getInputStream().read() == 'S';
    } catch (IOException e) {
      return false;
    }
  }

  private static String program() {
    return Stream.concat(
            Arrays.stream(System.getenv("PATH").split(":", -1)), Stream.of("/usr/sbin"))
        .map(place -> Path.of(place, "sshd"))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "the tests need sshd on PATH; on Debian: apt-get install openssh-server"))
        .toString();
  }

  private static String run(List<String> command) throws IOException {
    Process started = new ProcessBuilder(command).redirectErrorStream(true).start();
    String text =
        new String(
            started.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
    if (started.onExit().join().exitValue() != 0) {
      throw new IOException(command + ": " + text);
    }
    return text;
  }

  /** Ends it, and all that it started for its connections. */
  @Override
  public void close() {
    stop();
    left.forEach(ProcessHandle::destroyForcibly);
  }
}
