package dev.sandboxer.platform.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.platform.dataplane.Answer;
import dev.sandboxer.platform.dataplane.SandboxCalls;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.pipeline.McpServer;
import dev.sandboxer.platform.pipeline.Pipeline;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.token.Capability;
import io.vertx.core.buffer.Buffer;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the boxd of a sandbox knows of MCP servers, made equal to a pipeline. */
@ApplicationScoped
class McpDefinitions {

  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final int MOST_BYTES = 1 << 20;
  private static final int BAD_REQUEST = 400;
  private static final String ROUTE = "/v1/mcp-servers";

  private final SandboxCalls calls;
  private final ObjectMapper json;

  McpDefinitions(SandboxCalls calls, ObjectMapper json) {
    this.calls = calls;
    this.json = json;
  }

  /**
   * Ends servers that the pipeline does not have, and defines those that it has; a server that is
   * defined as it should be goes on.
   *
   * @param known whether this node has defined them as they are now before; then only what has
   *     ended is defined again
   * @return why a server cannot be started, by its name; empty if all can
   * @throws ProblemException as {@link SandboxCalls#call}
   */
  Map<String, String> apply(SandboxId sandbox, Pipeline pipeline, boolean known)
      throws InterruptedException {
    List<McpServer> servers = pipeline.mcpServers();
    Set<String> running = new HashSet<>();
    for (JsonNode there : list(sandbox)) {
      String name = there.path("name").asText();
      if (servers.stream().anyMatch(server -> server.name().equals(name))) {
        if (!there.path("state").asText().equals("ended")) {
          running.add(name);
        }
      } else if (McpServer.NAME.matcher(name).matches()) {
        var _ = call(sandbox, "DELETE", ROUTE + "/" + name, null);
      }
    }
    Map<String, String> problems = new LinkedHashMap<>();
    for (McpServer server : servers) {
      if (!known || !running.contains(server.name())) {
        if (!pipeline.mcpFoldersAreMounts()) {
          makeFolder(sandbox, server);
        }
        define(sandbox, server).ifPresent(why -> problems.put(server.name(), why));
      }
    }
    return problems;
  }

  private Optional<String> define(SandboxId sandbox, McpServer server) throws InterruptedException {
    Answer answer = call(sandbox, "PUT", ROUTE + "/" + server.name(), definition(server));
    return answer.status() >= BAD_REQUEST
        ? Optional.of(answer.refusal(sandbox).problem().detail())
        : Optional.empty();
  }

  private JsonNode list(SandboxId sandbox) throws InterruptedException {
    Answer answer = calls.ask(sandbox, Capability.PROCESS, ROUTE, LIMIT, MOST_BYTES);
    if (answer.status() >= BAD_REQUEST) {
      throw answer.refusal(sandbox);
    }
    try {
      return json.readTree(answer.body().getBytes()).path("items");
    } catch (IOException e) {
      return json.createArrayNode(); // what a sandbox says is not believed
    }
  }

  private void makeFolder(SandboxId sandbox, McpServer server) throws InterruptedException {
    ObjectNode folder = json.createObjectNode().put("path", server.folder()).put("parents", true);
    Answer answer =
        calls.call(
            sandbox,
            Capability.FS_WRITE,
            "POST",
            "/v1/files/mkdir",
            Buffer.buffer(folder.toString()),
            LIMIT,
            MOST_BYTES);
    if (answer.status() >= BAD_REQUEST) {
      throw answer.refusal(sandbox);
    }
  }

  private Answer call(SandboxId sandbox, String method, String path, @Nullable Buffer body)
      throws InterruptedException {
    return calls.call(sandbox, Capability.PROCESS, method, path, body, LIMIT, MOST_BYTES);
  }

  private Buffer definition(McpServer server) {
    ObjectNode definition = json.createObjectNode();
    definition.set("command", json.valueToTree(server.command()));
    definition.put("cwd", server.folder());
    definition.set("env", json.valueToTree(server.env()));
    definition.put("sharing", server.sharing().name().toLowerCase(Locale.ROOT));
    server.startSeconds().ifPresent(seconds -> definition.put("start_seconds", seconds));
    return Buffer.buffer(definition.toString());
  }
}
