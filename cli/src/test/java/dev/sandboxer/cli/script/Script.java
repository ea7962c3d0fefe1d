package dev.sandboxer.cli.script;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;

/**
 * A copy of the script in a folder of its own, on a machine that has only what the test gives it.
 */
final class Script {
  private static final List<String> BASE =
      List.of(
          "bash",
          "env",
          "sed",
          "grep",
          "awk",
          "head",
          "tail",
          "cut",
          "id",
          "dirname",
          "readlink",
          "cat",
          "ls",
          "df",
          "mkdir",
          "rm",
          "mv",
          "cp",
          "chmod",
          "cksum",
          "tr",
          "sort",
          "date",
          "nice",
          "tee",
          "sleep",
          "flock",
          "setsid",
          "mktemp",
          "find",
          "sha256sum",
          "xargs",
          "uname",
          "wc");

  private final Path top;
  private final Map<String, String> environment = new HashMap<>();

  Script(Path top) throws IOException {
    this.top = top;
    Path source = source();
    Files.createDirectories(tools());
    Files.copy(source.resolve("sandboxer"), folder().resolve("sandboxer"));
    makeExecutable(folder().resolve("sandboxer"));
    try (Stream<Path> tools = Files.list(source.resolve("tools"))) {
      for (Path tool : (Iterable<Path>) tools.filter(Files::isRegularFile)::iterator) {
        Files.copy(tool, tools().resolve(tool.getFileName()));
      }
    }
    Files.createDirectories(bin());
    for (String name : BASE) {
      program(name, "exec " + which(name) + " \"$@\"");
    }
    Files.createDirectories(jvm());
    osRelease("ID=nowhere");
    environment.put("PATH", bin().toString());
    environment.put("HOME", top.toString());
    environment.put("SANDBOXER_HOME", home().toString());
    environment.put("SANDBOXER_JVM_DIR", jvm().toString());
    environment.put("SANDBOXER_OS_RELEASE", top.resolve("os-release").toString());
    environment.put("SANDBOXER_LISTEN", "127.0.0.1:" + freePort());
  }

  /** The checkout that is being tested. */
  private static Path source() {
    Path here = Path.of("").toAbsolutePath();
    return Files.exists(here.resolve("sandboxer")) ? here : here.getParent();
  }

  private static Path which(String name) {
    return Stream.of("/usr/bin", "/bin", "/usr/sbin", "/sbin")
        .map(folder -> Path.of(folder, name))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  Path folder() {
    return top.resolve("checkout");
  }

  Path home() {
    return top.resolve("home");
  }

  private Path tools() {
    return folder().resolve("tools");
  }

  private Path bin() {
    return top.resolve("bin");
  }

  private Path jvm() {
    return top.resolve("jvm");
  }

  String url() {
    return "http://" + environment.get("SANDBOXER_LISTEN");
  }

  int port() {
    return Integer.parseInt(url().substring(url().lastIndexOf(':') + 1));
  }

  Script with(String name, String value) {
    environment.put(name, value);
    return this;
  }

  Script osRelease(String... lines) throws IOException {
    Files.write(top.resolve("os-release"), List.of(lines));
    return this;
  }

  /** A JDK that says this version and has nothing but its programs' names. */
  Script jdk(String version, String... programs) throws IOException {
    Path jdk = Files.createDirectories(jvm().resolve("jdk-" + version));
    Files.writeString(
        jdk.resolve("release"), "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"" + version + "\"\n");
    for (String program : programs) {
      program(jdk.resolve("bin"), program, "exit 0");
    }
    return this;
  }

  /** The JDK that runs this test. */
  Script realJdk() {
    return with(
        "SANDBOXER_JVM_DIR", String.valueOf(Path.of(System.getProperty("java.home")).getParent()));
  }

  /** A program on the PATH. */
  Script program(String name, String... lines) throws IOException {
    program(bin(), name, lines);
    return this;
  }

  private static void program(Path folder, String name, String... lines) throws IOException {
    Path file = Files.createDirectories(folder).resolve(name);
    Files.deleteIfExists(file);
    Files.writeString(file, "#!/bin/sh\n" + String.join("\n", lines) + "\n");
    makeExecutable(file);
  }

  private static void makeExecutable(Path file) throws IOException {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /** A distribution whose platform is {@link FakePlatform}, at the given place. */
  Script distribution(Path dist) throws IOException {
    program(dist.resolve("platform/quarkus-run.jar"), FakePlatform.class);
    return this;
  }

  /** A command line whose program is this class. */
  Script commandLine(Class<?> program) throws IOException {
    program(dist().resolve("cli/sandboxer-cli.jar"), program);
    return this;
  }

  private static void program(Path path, Class<?> program) throws IOException {
    Files.createDirectories(path.getParent());
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, program.getName());
    try (OutputStream file = Files.newOutputStream(path);
        JarOutputStream jar = new JarOutputStream(file, manifest)) {
      String name = program.getName().replace('.', '/') + ".class";
      try (InputStream classFile = program.getClassLoader().getResourceAsStream(name)) {
        jar.putNextEntry(new JarEntry(name));
        classFile.transferTo(jar);
      }
    }
  }

  /** The distribution where the script looks for it. */
  Path dist() {
    return folder().resolve("dist/target/sandboxer");
  }

  Process start(String... arguments) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
            Stream.concat(Stream.of(folder().resolve("sandboxer").toString()), Stream.of(arguments))
                .toList());
    return start(builder, folder());
  }

  private Process start(ProcessBuilder builder, Path directory) throws IOException {
    builder.environment().clear();
    builder.environment().putAll(environment);
    return builder
        .directory(directory.toFile())
        .redirectErrorStream(true)
        .redirectInput(Path.of("/dev/null").toFile())
        .start();
  }

  Result run(String... arguments) throws IOException, InterruptedException {
    return end(start(arguments));
  }

  /** The same through another path and from another folder. */
  Result runAs(Path script, Path directory, String... arguments)
      throws IOException, InterruptedException {
    return end(
        start(
            new ProcessBuilder(
                Stream.concat(Stream.of(script.toString()), Stream.of(arguments)).toList()),
            directory));
  }

  private static Result end(Process process) throws IOException, InterruptedException {
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Result(process.waitFor(), output);
  }

  /** What a call ended with. */
  record Result(int code, String output) {}
}
