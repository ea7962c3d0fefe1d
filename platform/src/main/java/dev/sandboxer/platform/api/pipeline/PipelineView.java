package dev.sandboxer.platform.api.pipeline;

import dev.sandboxer.platform.box.BoxSpec;
import dev.sandboxer.platform.pipeline.McpServer;
import dev.sandboxer.platform.pipeline.Pipeline;
import dev.sandboxer.platform.pipeline.Skill;
import dev.sandboxer.platform.pipeline.StoredPipeline;
import dev.sandboxer.spi.Mount;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** A pipeline as callers see it. */
@Schema(name = "Pipeline")
record PipelineView(
    @Schema(examples = "support") String id,
    @Schema(description = "how often it was stored") int revision,
    String template,
    String profile,
    Map<String, String> inputs,
    @Schema(description = "names of its environment") List<String> envNames,
    @Schema(description = "what its boxes have at /workspace, null for their own")
        @Nullable Map<String, Object> workspace,
    List<Map<String, Object>> mounts,
    List<SkillView> skills,
    List<McpServerView> mcpServers,
    @Schema(description = "why its MCP servers do not all run, as of the last look")
        @Nullable String mcpProblem,
    Map<String, String> labels,
    @Nullable Long ttlSeconds,
    long idleSeconds,
    boolean persistent,
    @Schema(enumeration = {"conflict", "recreate"}) String onChange,
    Instant createdAt,
    Instant changedAt) {

  /** A bound skill. */
  @Schema(name = "BoundSkill")
  record SkillView(
      String name,
      String packageRoot,
      @Schema(enumeration = {"ro", "rw"}) String mode,
      @Schema(examples = "/workspace/.skills/web-search") String mountPath,
      @Nullable String contentDigest) {

    static SkillView of(Skill skill) {
      return new SkillView(
          skill.name(),
          skill.packageRoot(),
          shownMode(skill.writable()),
          skill.mount().mountPath(),
          skill.contentDigest().orElse(null));
    }
  }

  /** An MCP server; its environment is not shown. */
  @Schema(name = "PipelineMcpServer")
  record McpServerView(
      String name,
      String command,
      List<String> args,
      @Schema(description = "names of its environment") List<String> envNames,
      @Nullable String packageRoot,
      @Schema(enumeration = {"ro", "rw"}) String mode,
      @Schema(enumeration = {"shared", "owned"}) String sharing,
      @Nullable Long startSeconds,
      @Schema(
              description = "its Streamable HTTP endpoint",
              examples = "/v1/pipelines/support/mcp/search")
          String path) {

    static McpServerView of(String pipeline, McpServer server) {
      return new McpServerView(
          server.name(),
          server.command().getFirst(),
          server.command().subList(1, server.command().size()),
          server.env().keySet().stream().sorted().toList(),
          server.packageRoot().orElse(null),
          shownMode(server.writable()),
          server.sharing().name().toLowerCase(Locale.ROOT),
          server.startSeconds().orElse(null),
          "/v1/pipelines/%s/mcp/%s".formatted(pipeline, server.name()));
    }
  }

  static PipelineView of(StoredPipeline stored) {
    Pipeline pipeline = stored.pipeline();
    BoxSpec spec = pipeline.spec();
    return new PipelineView(
        pipeline.id(),
        stored.revision(),
        pipeline.template(),
        spec.profile(),
        spec.inputs(),
        pipeline.env().keySet().stream().sorted().toList(),
        pipeline.workspace().map(PipelineView::shown).orElse(null),
        spec.mounts().stream().map(PipelineView::shown).toList(),
        pipeline.skills().stream().map(SkillView::of).toList(),
        pipeline.mcpServers().stream()
            .map(server -> McpServerView.of(pipeline.id(), server))
            .toList(),
        stored.mcpProblem().orElse(null),
        spec.labels(),
        spec.ttlSeconds().orElse(null),
        spec.idle(),
        spec.persistent(),
        pipeline.onChange().name().toLowerCase(Locale.ROOT),
        stored.createdAt(),
        stored.changedAt());
  }

  /** As it stands in a request. */
  private static Map<String, Object> shown(Mount mount) {
    Map<String, Object> shown = new LinkedHashMap<>();
    switch (mount) {
      case Mount.HostFolder folder -> {
        shown.put("host_path", folder.hostPath());
        shown.put("mode", shownMode(folder.writable()));
        folder.contentDigest().ifPresent(digest -> shown.put("content_digest", digest));
      }
      case Mount.Volume volume -> {
        shown.put("volume", volume.volume());
        shown.put("mode", shownMode(volume.writable()));
      }
      case Mount.Tmpfs tmpfs -> shown.put("tmpfs_bytes", tmpfs.sizeBytes());
    }
    shown.put("mount_path", mount.mountPath());
    return shown;
  }

  private static String shownMode(boolean writable) {
    return writable ? "rw" : "ro";
  }
}
