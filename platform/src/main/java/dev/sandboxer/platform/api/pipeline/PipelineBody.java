package dev.sandboxer.platform.api.pipeline;

import dev.sandboxer.platform.api.Body;
import dev.sandboxer.platform.api.MountFields;
import dev.sandboxer.platform.api.RequestedMount;
import dev.sandboxer.platform.api.box.BoxFields;
import dev.sandboxer.platform.api.control.ConsumerView;
import dev.sandboxer.platform.api.control.SandboxFields;
import dev.sandboxer.platform.box.BoxSpec;
import dev.sandboxer.platform.box.OnChange;
import dev.sandboxer.platform.box.Template;
import dev.sandboxer.platform.box.TemplateException;
import dev.sandboxer.platform.mount.MountRules;
import dev.sandboxer.platform.pipeline.Pipeline;
import dev.sandboxer.platform.pipeline.Skill;
import dev.sandboxer.spi.Mount;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** The body of {@code PUT /v1/pipelines/{id}}. */
@Schema(
    name = "PutPipeline",
    requiredProperties = {"profile"})
record PipelineBody(
    @Schema(
            description = "the scope of its boxes, as in a request for a box",
            defaultValue = Template.DEFAULT,
            maxLength = 256)
        Optional<String> template,
    @Schema(description = "profile.<name> or <name>, optionally @version", examples = "local")
        String profile,
    @Schema(description = "at most 64 of what the profile declares under inputs")
        Map<String, Object> inputs,
    @Schema(description = "environment of every command; stored encrypted, never shown again")
        Map<String, String> env,
    @Schema(
            type = SchemaType.ARRAY,
            implementation = RequestedMount.class,
            description = "beside the profile's and the skills",
            maxItems = MountRules.MOST)
        List<Mount> mounts,
    @Schema(
            description =
                "what each box has at /workspace: a folder of the host or a volume, as a mount"
                    + " without mount_path; absent: a file system in memory of its own")
        Optional<Workspace> workspace,
    @Schema(description = "mounted into each box, whichever is used", maxItems = MountRules.MOST)
        List<SkillBody> skills,
    @Schema(
            description =
                "run in a box of their own, with the session id mcp-<pipeline>, which is made at once"
                    + " and kept",
            maxItems = MountRules.MOST)
        List<McpServerBody> mcpServers,
    @Schema(description = "of each sandbox") Map<String, String> labels,
    Optional<ConsumerView> consumer,
    Optional<Long> ttlSeconds,
    @Schema(defaultValue = "300") Optional<Long> idleSeconds,
    boolean persistent,
    @Schema(
            description =
                "what happens to a living box that differs from the pipeline as it is now, unless the"
                    + " request sets it",
            enumeration = {"conflict", "recreate"},
            defaultValue = "conflict")
        Optional<String> onChange) {

  static final String EXAMPLE =
      """
      {"template": "{launcher_type}_{launcher_id}", "profile": "local"}""";

  private static final Pattern TEMPLATE = Pattern.compile("(?s).{1,256}");
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");
  static final Pattern PATH = Pattern.compile("(?s).{1,4096}");
  private static final Pattern MODE = Pattern.compile("ro|rw");

  /** What a box has at {@code /workspace}. */
  @Schema(name = "Workspace", description = "Either host_path or volume.")
  record Workspace(
      @Schema(description = "folder of the host, as for a mount", examples = "/srv/chats")
          Optional<String> hostPath,
      @Schema(description = "the name of a volume", examples = "notes") Optional<String> volume,
      @Schema(
              enumeration = {"ro", "rw"},
              defaultValue = "ro")
          Optional<String> mode,
      @Schema(
              description = "what a read-only folder must hold, as for a mount",
              pattern = "sha256:[0-9a-f]{64}")
          Optional<String> contentDigest) {}

  /** A bound skill. */
  @Schema(
      name = "Skill",
      requiredProperties = {"name", "package_root"})
  record SkillBody(
      @Schema(description = "mounted at /workspace/.skills/<name>", examples = "web-search")
          String name,
      @Schema(description = "folder of the host, as for a mount", examples = "/srv/skills/web")
          String packageRoot,
      @Schema(
              enumeration = {"ro", "rw"},
              defaultValue = "ro")
          Optional<String> mode,
      @Schema(
              description = "what a read-only folder must hold, as for a mount",
              pattern = "sha256:[0-9a-f]{64}")
          Optional<String> contentDigest) {}

  /** An MCP server. */
  @Schema(
      name = "McpServer",
      requiredProperties = {"name", "command"})
  record McpServerBody(
      @Schema(description = "runs in the folder /workspace/.mcp/<name>", examples = "search")
          String name,
      @Schema(description = "the program", examples = "python3") String command,
      @Schema(maxItems = 256, examples = "[\"server.py\"]") List<String> args,
      @Schema(
              description =
                  "of the program, laid over the pipeline's; stored encrypted, never shown again")
          Map<String, String> env,
      @Schema(
              description = "folder of the host that is mounted as its folder, as for a mount",
              examples = "/srv/mcp/search")
          Optional<String> packageRoot,
      @Schema(
              description = "of the package root",
              enumeration = {"ro", "rw"},
              defaultValue = "ro")
          Optional<String> mode,
      @Schema(
              description = "one process for all clients, or one for each session",
              enumeration = {"shared", "owned"},
              defaultValue = "shared")
          Optional<String> sharing,
      @Schema(
              description = "in which a shared one has to answer initialize",
              minimum = "1",
              maximum = "600",
              defaultValue = "30")
          Optional<Long> startSeconds) {}

  static Pipeline read(Body body, String id) {
    List<String> all =
        new ArrayList<>(
            List.of("template", "workspace", "skills", "mcp_servers", "consumer", "on_change"));
    all.addAll(BoxFields.OF_SPEC);
    body.only(all.toArray(String[]::new));
    BoxSpec spec = BoxFields.spec(body);
    List<Mount> mounts = new ArrayList<>(spec.mounts());
    Optional<Mount> workspace = MountFields.workspace(body, "workspace", mounts);
    workspace.ifPresent(mounts::add);
    List<Skill> skills = skills(body, mounts);
    return new Pipeline(
        id,
        template(body),
        spec,
        SandboxFields.env(body),
        workspace,
        skills,
        McpServerFields.read(body, mounts),
        BoxFields.onChange(body).orElse(OnChange.CONFLICT));
  }

  private static String template(Body body) {
    String text =
        body.optionalText("template", TEMPLATE, "1 to 256 characters").orElse(Template.DEFAULT);
    try {
      return Template.parse(text).text();
    } catch (TemplateException e) {
      throw body.invalid(e.getMessage());
    }
  }

  private static List<Skill> skills(Body body, List<Mount> all) {
    List<Skill> skills = new ArrayList<>();
    for (Body one : body.optionalObjects("skills", MountRules.MOST)) {
      Skill skill = skill(one.only("name", "package_root", "mode", "content_digest"));
      if (skills.stream().anyMatch(other -> other.name().equals(skill.name()))) {
        throw one.invalid("name", "is the name of another skill too");
      }
      add(one, skill.mount(), all);
      skills.add(skill);
    }
    return skills;
  }

  /** Adds a package root to the mounts of a box, unless it cannot stand with the others. */
  static void add(Body of, Mount mount, List<Mount> all) {
    MountRules.conflict(mount, all)
        .ifPresent(
            why -> {
              throw of.invalid("package_root", why);
            });
    all.add(mount);
  }

  private static Skill skill(Body body) {
    String root = body.text("package_root", PATH, "a folder of the host");
    boolean writable = writable(body);
    return new Skill(
        body.text("name", NAME, "1 to 64 of A-Za-z0-9._-, a letter or digit first"),
        source(body, root),
        writable,
        MountFields.digest(body, writable));
  }

  static String source(Body body, String root) {
    try {
      return MountRules.source(root);
    } catch (IllegalArgumentException e) {
      throw body.invalid("package_root", String.valueOf(e.getMessage()));
    }
  }

  static boolean writable(Body body) {
    return body.optionalText("mode", MODE, "ro or rw").orElse("ro").equals("rw");
  }
}
