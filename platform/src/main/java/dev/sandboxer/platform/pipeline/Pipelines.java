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
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;

/** The pipelines of all tenants. */
@ApplicationScoped
public class Pipelines {

  private static final String PUT =
      """
      insert into pipeline (tenant_id, id, definition, env_sealed)
      values (:tenant, :id, cast(:definition as jsonb), :env)
      on conflict (tenant_id, id) do update
        set definition = excluded.definition, env_sealed = excluded.env_sealed,
          revision = pipeline.revision + 1, changed_at = clock_timestamp()
      returning *
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
  record Definition(String template, BoxSpec spec, List<Skill> skills, OnChange onChange) {}

  /**
   * Stores a pipeline, in place of the one with its id.
   *
   * @param tenantId owner
   * @param pipeline checked
   * @return as it is stored now
   */
  public StoredPipeline put(String tenantId, Pipeline pipeline) {
    Definition definition =
        new Definition(
            pipeline.template(), pipeline.spec(), pipeline.skills(), pipeline.onChange());
    return jdbi.inTransaction(
        open ->
            open.createQuery(PUT)
                .bind("tenant", tenantId)
                .bind("id", pipeline.id())
                .bind("definition", text(definition))
                .bind("env", texts.seal(row(tenantId, pipeline.id()), pipeline.env()))
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

  private StoredPipeline map(ResultSet row) throws SQLException {
    Definition definition = definition(row.getString("definition"));
    String id = row.getString("id");
    return new StoredPipeline(
        new Pipeline(
            id,
            definition.template(),
            definition.spec(),
            texts.unseal(row(row.getString("tenant_id"), id), row.getBytes("env_sealed")),
            definition.skills(),
            definition.onChange()),
        row.getInt("revision"),
        instant(row, "created_at"),
        instant(row, "changed_at"));
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

  private static String row(String tenantId, String id) {
    return "pipeline/" + tenantId + "/" + id + "/env";
  }
}
