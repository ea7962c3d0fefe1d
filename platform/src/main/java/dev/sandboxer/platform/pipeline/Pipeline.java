package dev.sandboxer.platform.pipeline;

import dev.sandboxer.platform.box.BoxField;
import dev.sandboxer.platform.box.BoxRequest;
import dev.sandboxer.platform.box.BoxScope;
import dev.sandboxer.platform.box.BoxSpec;
import dev.sandboxer.platform.box.OnChange;
import dev.sandboxer.platform.box.TemplateException;
import dev.sandboxer.spi.Mount;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A pipeline.
 *
 * @param id the tenant's name for it
 * @param template the scope of its boxes
 * @param spec what they are made of, beside the workspace and the skills
 * @param env of every command; stored sealed
 * @param workspace what is mounted at {@code /workspace}; empty for the sandbox's own
 * @param skills that each of them has, whichever is used
 * @param mcpServers that run in a box of their own
 * @param onChange what happens to a living box that differs
 */
public record Pipeline(
    String id,
    String template,
    BoxSpec spec,
    Map<String, String> env,
    Optional<Mount> workspace,
    List<Skill> skills,
    List<McpServer> mcpServers,
    OnChange onChange) {

  private static final String MCP_BOX = "mcp-";

  /** Keeps immutable copies. */
  public Pipeline {
    env = Map.copyOf(env);
    skills = List.copyOf(skills);
    mcpServers = List.copyOf(mcpServers);
  }

  /**
   * What a box is made of.
   *
   * @return with the workspace and the skills as mounts
   */
  public BoxSpec boxSpec() {
    List<Mount> mounts = new ArrayList<>();
    workspace.ifPresent(mounts::add);
    mounts.addAll(spec.mounts());
    skills.forEach(skill -> mounts.add(skill.mount()));
    return spec.mounting(mounts);
  }

  /**
   * A request for one of its boxes, which must be as the pipeline is now.
   *
   * @param tenantId owner
   * @param principalId the key that asks
   * @param scope of the box
   * @param change what the request sets for a living box that differs
   * @return for {@code Boxes}
   */
  public BoxRequest request(String tenantId, String principalId, BoxScope scope, OnChange change) {
    return new BoxRequest(
        tenantId, principalId, scope, boxSpec(), env, EnumSet.allOf(BoxField.class), change);
  }

  /**
   * The scope of the box in which the MCP servers run.
   *
   * @return the literal session id {@code mcp-<pipeline>}
   */
  public BoxScope mcpScope() {
    try {
      return BoxScope.literal(MCP_BOX + id);
    } catch (TemplateException e) {
      throw new IllegalStateException("an id of a pipeline is no id of a box", e);
    }
  }

  /**
   * What that box is made of.
   *
   * @return with the skills and the servers' package roots as mounts; never idle
   */
  public BoxSpec mcpBoxSpec() {
    BoxSpec whole = boxSpec();
    List<Mount> mounts = new ArrayList<>(whole.mounts());
    if (mcpFoldersAreMounts()) {
      mcpServers.forEach(server -> mounts.add(server.mount()));
    }
    return whole.mounting(mounts).kept();
  }

  /**
   * Whether the folders of its MCP servers are mounts. Where one is, the folder above them is
   * root's, and the others must be mounts as well. In a workspace of the host it may be an earlier
   * sandbox's, which has another user.
   *
   * @return false if none has a package root, and the workspace is the sandbox's own or a volume
   *     for writing
   */
  public boolean mcpFoldersAreMounts() {
    return workspace
            .filter(mount -> !(mount instanceof Mount.Volume && mount.writable()))
            .isPresent()
        || mcpServers.stream().anyMatch(server -> server.packageRoot().isPresent());
  }

  /**
   * A request for that box, which is made again where it differs from the pipeline as it is now.
   *
   * @param tenantId owner
   * @param principalId the key that asks
   * @return for {@code Boxes}
   */
  public BoxRequest mcpRequest(String tenantId, String principalId) {
    return new BoxRequest(
        tenantId,
        principalId,
        mcpScope(),
        mcpBoxSpec(),
        env,
        EnumSet.allOf(BoxField.class),
        OnChange.RECREATE);
  }

  /**
   * Finds one of its MCP servers.
   *
   * @param name in the pipeline
   * @return empty if it has none of this name
   */
  public Optional<McpServer> mcpServer(String name) {
    return mcpServers.stream().filter(one -> one.name().equals(name)).findFirst();
  }
}
