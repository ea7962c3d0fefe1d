package dev.sandboxer.ext.compose;

import dev.sandboxer.spi.HostRef;
import dev.sandboxer.testing.SshServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** This machine as another one: a real sshd on loopback, and the Engine of the tests. */
final class TestMachine implements AutoCloseable {

  static final String IMAGE = "sandboxer-test/busybox:latest";

  private static final int ORDINARY = 60_101;

  final SshServer server;
  private final Path folder;

  private final Map<String, Object> settings = new TreeMap<>();
  private String user = SshServer.user();

  TestMachine(String... options) throws IOException {
    this(folder(), SshServer.View.PLAIN, options);
  }

  private TestMachine(Path folder, SshServer.View view, String... options) throws IOException {
    this.folder = folder;
    server = new SshServer(folder.resolve("ssh"), view, options);
    // The user's home there is the server's folder.
    Path plugins = Files.createDirectories(folder.resolve("ssh/.docker/cli-plugins"));
    Files.createSymbolicLink(plugins.resolve("docker-compose"), program("docker-compose"));
    settings.put("path", System.getenv("PATH"));
    settings.put("docker_socket", socket());
  }

  /** Short: sockets lie below it. */
  private static Path folder() throws IOException {
    return Files.createTempDirectory(Path.of("/tmp"), "sbxc");
  }

  /**
   * A user who may use the Engine and is not root. Only root can start the server of another one.
   */
  static TestMachine ofOrdinaryUser(boolean mayUseTheEngine) throws IOException {
    Path folder = folder();
    Path programs = Files.createDirectories(folder.resolve("bin"));
    List<String> mounts = new ArrayList<>();
    for (String name : List.of("docker", "docker-compose")) {
      Path place = Files.createFile(programs.resolve(name));
      mounts.add("mount --bind %s %s".formatted(program(name).toRealPath(), place));
    }
    Path engine = Files.createFile(folder.resolve("engine"));
    mounts.add("mount --bind %s %s".formatted(socket(), engine));
    Object group = mayUseTheEngine ? Files.getAttribute(Path.of(socket()), "unix:gid") : ORDINARY;
    TestMachine machine =
        new TestMachine(
            folder,
            new SshServer.View(
                "deploy:x:%d:%d::%s:/bin/sh".formatted(ORDINARY, ORDINARY, folder),
                "engine:x:%s:deploy".formatted(group),
                mounts));
    machine.user = "deploy";
    machine.settings.put("path", programs + ":/usr/bin:/bin");
    machine.settings.put("docker_socket", engine.toString());
    machine.settings.put("compose", "docker-compose");
    for (Path open : List.of(folder, folder.resolve("ssh"))) {
      Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    Files.setPosixFilePermissions(
        folder.resolve("ssh/authorized_keys"), PosixFilePermissions.fromString("rw-r--r--"));
    Files.setAttribute(Files.createDirectory(machine.remoteFolder()), "unix:uid", ORDINARY);
    return machine;
  }

  /** Where sandboxes' folders have little room. */
  static TestMachine ofSmallDisk(int mib) throws IOException {
    Path folder = folder();
    Path disk = Files.createDirectory(folder.resolve("r"));
    return new TestMachine(
        folder,
        new SshServer.View(
            "", "", List.of("mount -t tmpfs -o size=%dm,mode=700 disk %s".formatted(mib, disk))));
  }

  private static Path program(String name) {
    return Arrays.stream(System.getenv("PATH").split(":", -1))
        .map(place -> Path.of(place, name))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("the tests need " + name + " on PATH"));
  }

  Path remoteFolder() {
    return folder.resolve("r");
  }

  HostRef host(Map<String, Object> more) throws IOException {
    Map<String, Object> all = new TreeMap<>(settings);
    all.put("key_file", server.key().toString());
    all.put("host_key", List.of(server.fingerprint()));
    all.put("remote_dir", remoteFolder().toString());
    all.putAll(more);
    return new HostRef("machine", address()).withSettings(all);
  }

  String address() {
    return "ssh://%s@127.0.0.1:%d".formatted(user, server.port());
  }

  static String socket() {
    return System.getenv()
        .getOrDefault("SANDBOXER_DOCKER_HOST", "unix:///var/run/docker.sock")
        .replaceFirst("^unix://", "");
  }

  /** What the Engine's client says of a command, errors as well. */
  static String docker(String... arguments) {
    List<String> command = new ArrayList<>(List.of("docker", "-H", "unix://" + socket()));
    command.addAll(List.of(arguments));
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String text =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      process.waitFor();
      return text;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The processes that serve connections get no processor any more. */
  void freezeConnections() {
    for (ProcessHandle session : server.sessions()) {
      try {
        new ProcessBuilder("kill", "-STOP", "" + session.pid()).start().onExit().join();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Ends the processes that serve connections, and nothing that they started. */
  void dropConnections() {
    server.sessions().forEach(ProcessHandle::destroyForcibly);
  }

  @Override
  public void close() {
    server.close();
  }
}
