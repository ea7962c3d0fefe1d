package dev.sandboxer.platform.pipeline;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.platform.box.BoxSpec;
import dev.sandboxer.platform.box.OnChange;
import dev.sandboxer.platform.installation.SealedTexts;
import dev.sandboxer.platform.sandbox.MountKinds;
import dev.sandboxer.spi.Mount;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** The pipelines of all tenants. */
@ApplicationScoped
public class Pipelines {

  private static final String PUT =
      """
      insert into pipeline (tenant_id, id, principal_id, definition, env_sealed, mcp_env_sealed, mcp_due)
      values (:tenant, :id, :principal, cast(:definition as jsonb), :env, :mcp_env,
        case when :mcp then clock_timestamp() end)
      on conflict (tenant_id, id) do update
        set definition = excluded.definition, env_sealed = excluded.env_sealed,
          mcp_env_sealed = excluded.mcp_env_sealed, principal_id = excluded.principal_id,
          revision = pipeline.revision + 1, changed_at = clock_timestamp(),
          mcp_due = case when :mcp or pipeline.mcp_due is not null then clock_timestamp() end,
          mcp_failures = 0, mcp_problem = null
      returning *
      """;

  private static final String CLAIM =
      """
      update pipeline p set mcp_due = clock_timestamp() + make_interval(secs => :seconds)
      from (select tenant_id, id from pipeline where mcp_due <= clock_timestamp()
            order by mcp_due limit :limit for update skip locked) due
      where p.tenant_id = due.tenant_id and p.id = due.id
      returning p.*
      """;

  /** What was stored since is looked after as it is now. */
  private static final String LOOKED_AFTER =
      """
      update pipeline set mcp_due = clock_timestamp() + make_interval(secs => :seconds),
        mcp_failures = :failures, mcp_problem = :problem
      where tenant_id = :tenant and id = :id and revision = :revision
      """;

  private final Jdbi jdbi;
  private final SealedTexts texts;
  private final ObjectMapper json;

  Pipelines(Jdbi jdbi, SealedTexts texts, ObjectMapper json) {
    this.jdbi = jdbi;
    this.texts = texts;
    this.json = json.copy().addMixIn(Mount.class, MountKinds.class);
  }

  /** What of a pipeline is stored in the open. */
  record Definition(
      String template,
      BoxSpec spec,
      @Nullable Mount workspace,
      List<Skill> skills,
      @Nullable List<McpServer> mcpServers,
      OnChange onChange) {

    /** None in a pipeline of an older release. */
    List<McpServer> servers(Map<String, String> env) {
      return mcpServers == null
          ? List.of()
          : mcpServers.stream().map(one -> one.with(McpEnvironments.of(one, env))).toList();
    }
  }

  /**
   * Stores a pipeline, in place of the one with its id.
   *
   * @param tenantId owner
   * @param principalId the key that stores it
   * @param pipeline checked
   * @return as it is stored now
   */
  public StoredPipeline put(String tenantId, String principalId, Pipeline pipeline) {
    Definition definition =
        new Definition(
            pipeline.template(),
            pipeline.spec(),
            pipeline.workspace().orElse(null),
            pipeline.skills(),
            pipeline.mcpServers().stream().map(one -> one.with(Map.of())).toList(),
            pipeline.onChange());
    return jdbi.inTransaction(
        open ->
            open.createQuery(PUT)
                .bind("tenant", tenantId)
                .bind("id", pipeline.id())
                .bind("definition", text(definition))
                .bind("principal", principalId)
                .bind("mcp", !pipeline.mcpServers().isEmpty())
                .bind("env", texts.seal(row(tenantId, pipeline.id()), pipeline.env()))
                .bind(
                    "mcp_env",
                    texts.seal(
                        mcpRow(tenantId, pipeline.id()),
                        McpEnvironments.together(pipeline.mcpServers())))
                .map((row, _) -> map(row))
                .one());
  }

  /**
   * Finds one.
   *
   * @param tenantId owner
   * @param id the tenant's name for it
   * @return empty if there is none
   */
  public Optional<StoredPipeline> find(String tenantId, String id) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery("select * from pipeline where tenant_id = :tenant and id = :id")
                .bind("tenant", tenantId)
                .bind("id", id)
                .map((row, _) -> map(row))
                .findOne());
  }

  /**
   * Lists a tenant's by id.
   *
   * @param tenantId owner
   * @param after the last id of the page before, empty for the first page
   * @param limit how many at most
   * @return a page
   */
  public List<StoredPipeline> list(String tenantId, String after, int limit) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(
                    "select * from pipeline where tenant_id = :tenant and id > :after order by id"
                        + " limit :limit")
                .bind("tenant", tenantId)
                .bind("after", after)
                .bind("limit", limit)
                .map((row, _) -> map(row))
                .list());
  }

  /**
   * Forgets one; its boxes stay.
   *
   * @param tenantId owner
   * @param id the tenant's name for it
   * @return false if there was none
   */
  public boolean delete(String tenantId, String id) {
    return jdbi.withHandle(
            handle ->
                handle
                    .createUpdate("delete from pipeline where tenant_id = :tenant and id = :id")
                    .bind("tenant", tenantId)
                    .bind("id", id)
                    .execute())
        == 1;
  }

  /**
   * Claims pipelines whose MCP servers are to be looked after, the longest due first.
   *
   * @param limit how many at most
   * @param claim how long they are this node's; after that they are due again
   * @return with MCP servers, or with a box of such as they had before
   */
  public List<StoredPipeline> claimDue(int limit, Duration claim) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(CLAIM)
                .bind("limit", limit)
                .bind("seconds", claim.toSeconds())
                .map((row, _) -> map(row))
                .list());
  }

  /** Makes all due that have MCP servers: a node that claimed some may have ended since. */
  public void allDue() {
    jdbi.useHandle(
        handle ->
            handle.execute(
                "update pipeline set mcp_due = clock_timestamp() where mcp_due > clock_timestamp()"));
  }

  /**
   * Notes that one was looked after.
   *
   * @param pipeline as it was claimed; if it was stored since, nothing is noted
   * @param next when it is due again, from now
   * @param problem why its MCP servers do not all run, null if they do
   */
  public void lookedAfter(StoredPipeline pipeline, Duration next, @Nullable String problem) {
    jdbi.useHandle(
        handle ->
            handle
                .createUpdate(LOOKED_AFTER)
                .bind("tenant", pipeline.tenantId())
                .bind("id", pipeline.pipeline().id())
                .bind("revision", pipeline.revision())
                .bind("seconds", next.toSeconds())
                .bind("failures", problem == null ? 0 : pipeline.mcpFailures() + 1)
                .bind("problem", problem)
                .execute());
  }

  /**
   * Notes that one has no MCP servers and no box of such any more.
   *
   * @param pipeline as it was claimed; if it was stored since, nothing is noted
   */
  public void nothingToLookAfter(StoredPipeline pipeline) {
    jdbi.useHandle(
        handle ->
            handle
                .createUpdate(
                    "update pipeline set mcp_due = null where tenant_id = :tenant and id = :id and"
                        + " revision = :revision")
                .bind("tenant", pipeline.tenantId())
                .bind("id", pipeline.pipeline().id())
                .bind("revision", pipeline.revision())
                .execute());
  }

  private StoredPipeline map(ResultSet row) throws SQLException {
    Definition definition = definition(row.getString("definition"));
    String tenant = row.getString("tenant_id");
    String id = row.getString("id");
    Map<String, String> mcpEnv = texts.unseal(mcpRow(tenant, id), row.getBytes("mcp_env_sealed"));
    return new StoredPipeline(
        tenant,
        Optional.ofNullable(row.getString("principal_id")),
        new Pipeline(
            id,
            definition.template(),
            definition.spec(),
            texts.unseal(row(tenant, id), row.getBytes("env_sealed")),
            Optional.ofNullable(definition.workspace()),
            definition.skills(),
            definition.servers(mcpEnv),
            definition.onChange()),
        row.getInt("revision"),
        instant(row, "created_at"),
        instant(row, "changed_at"),
        row.getInt("mcp_failures"),
        Optional.ofNullable(row.getString("mcp_problem")));
  }

  private static Instant instant(ResultSet row, String column) throws SQLException {
    return row.getObject(column, OffsetDateTime.class).toInstant();
  }

  private String text(Definition definition) {
    try {
      return json.writeValueAsString(definition);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a pipeline cannot be written as JSON", e);
    }
  }

  private Definition definition(String text) {
    try {
      return json.readValue(text, Definition.class);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a stored pipeline cannot be read", e);
    }
  }

  private static String mcpRow(String tenantId, String id) {
    return "pipeline/" + tenantId + "/" + id + "/mcp_env";
  }

  private static String row(String tenantId, String id) {
    return "pipeline/" + tenantId + "/" + id + "/env";
  }
}
