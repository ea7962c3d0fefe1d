package dev.sandboxer.cli.pipeline;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.client.Api;
import dev.sandboxer.cli.terminal.Escapes;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Stores a pipeline from a file. */
@Command(
    name = "apply",
    description = "Store a pipeline from a YAML file, in place of what was stored before.",
    footer = {
      "",
      "The file has the pipeline's id, and the fields of PUT /v1/pipelines/{id}:",
      "  id: support",
      "  profile: local",
      "  mcp_servers: [{name: search, command: python3, args: [server.py], package_root: /srv/mcp}]"
    })
final class ApplyVerb extends Verb {
  private static final int CREATED = 201;

  @Option(
      names = {"-f", "--file"},
      required = true,
      paramLabel = "FILE",
      description = "The file; - is standard input.")
  private String file = "";

  ApplyVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    ObjectNode body = new PipelineFile(context()).read(file);
    String path = PipelinePath.of(body.path("id").asText());
    body.remove("id");
    Api.Reply reply = context().api().call("PUT", path, body, Map.of());
    if (json()) {
      print(reply.body());
    } else {
      context().console().result(Escapes.visible(line(reply)));
      servers(reply.body());
    }
    return ExitCode.OK;
  }

  private static String line(Api.Reply reply) {
    return "%s %s, revision %d"
        .formatted(
            reply.body().path("id").asText(),
            reply.status() == CREATED ? "stored" : "stored again",
            reply.body().path("revision").asInt());
  }

  private void servers(JsonNode pipeline) {
    pipeline
        .path("mcp_servers")
        .forEach(
            server ->
                context()
                    .console()
                    .tell(
                        Escapes.visible(
                            "MCP server %s: %s%s"
                                .formatted(
                                    server.path("name").asText(),
                                    context().api().endpoint().base(),
                                    server.path("path").asText()))));
  }
}
