package dev.sandboxer.cli.pipeline;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.terminal.Escapes;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** All that is stored of a pipeline. */
@Command(name = "show", description = "Show a pipeline with its skills and MCP servers.")
final class ShowVerb extends Verb {
  private static final int NAMES = 13;

  @Parameters(paramLabel = "PIPELINE", description = "The pipeline's id.")
  private String id = "";

  ShowVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    JsonNode pipeline = context().api().get(PipelinePath.of(id));
    if (json()) {
      print(pipeline);
    } else {
      lines(pipeline).forEach(line -> context().console().result(Escapes.visible(line)));
    }
    return ExitCode.OK;
  }

  private List<String> lines(JsonNode pipeline) {
    List<String> lines = new ArrayList<>();
    add(lines, "id", "%s, revision %s".formatted(text(pipeline, "id"), text(pipeline, "revision")));
    add(lines, "profile", text(pipeline, "profile"));
    add(lines, "template", text(pipeline, "template"));
    pipeline
        .path("skills")
        .forEach(
            skill ->
                add(
                    lines,
                    "skill",
                    "%s, %s of %s"
                        .formatted(
                            text(skill, "name"),
                            text(skill, "mode"),
                            text(skill, "package_root"))));
    pipeline
        .path("mcp_servers")
        .forEach(
            server ->
                add(
                    lines,
                    "MCP server",
                    "%s, %s: %s%s"
                        .formatted(
                            text(server, "name"),
                            text(server, "sharing"),
                            context().api().endpoint().base(),
                            text(server, "path"))));
    if (!pipeline.path("mcp_problem").isNull()) {
      add(lines, "problem", text(pipeline, "mcp_problem"));
    }
    return lines;
  }

  private static String text(JsonNode of, String name) {
    return of.path(name).asText();
  }

  private static void add(List<String> lines, String name, String value) {
    lines.add(name + " ".repeat(NAMES - name.length()) + value);
  }
}
