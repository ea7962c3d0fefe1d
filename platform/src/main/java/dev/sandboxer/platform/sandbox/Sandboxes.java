package dev.sandboxer.platform.sandbox;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.platform.id.RowPosition;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.spi.SandboxSpec;
import io.quarkus.arc.All;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/** Reads sandboxes, and writes them in the two ways there are: {@link #insert}, {@link #apply}. */
@ApplicationScoped
public class Sandboxes {

  private static final String INSERT =
      """
      insert into sandbox (id, tenant_id, principal_id, profile_id, profile_version, extension_id,
        candidates, routing, spec, spec_hash, actor, project, session_id, run_id, work, labels, env_names, env_sealed,
        capabilities, ttl_seconds, idle_seconds, hard_ttl_seconds, hard_expires_at,
        state, event_seq, claim_owner, claim_token, claim_until, trace_parent)
      values (:id, :tenantId, :principalId, :profileId, :profileVersion, :extension,
        :allowed, cast(:routing as jsonb), cast(:specText as jsonb), :specHash, :actor, :project, :sessionId, :runId,
        cast(:work as jsonb),
        cast(:labels as jsonb), :envNames, :envSealed,
        :capabilities, :ttlSeconds, :idleSeconds, :hardTtlSeconds, clock_timestamp() + make_interval(secs => :hardTtlSeconds),
        'requested', 1, :claimOwner, 1, clock_timestamp() + make_interval(secs => :claimSeconds),
        :traceParent)
      returning *
      """;

  private final Jdbi jdbi;
  private final Transitions transitions;
  private final SandboxMapper mapper;
  private final SpecJson specs;
  private final ObjectMapper json;
  private final List<TransitionListener> listeners;

  Sandboxes(
      Jdbi jdbi,
      Transitions transitions,
      SandboxMapper mapper,
      SpecJson specs,
      ObjectMapper json,
      @All List<TransitionListener> listeners) {
    this.jdbi = jdbi;
    this.transitions = transitions;
    this.mapper = mapper;
    this.specs = specs;
    this.json = json;
    this.listeners = listeners;
  }

  /**
   * Records a new sandbox with its first event.
   *
   * @param transaction open
   * @param fresh what to record
   * @param claimSeconds how long the claim of its first worker holds
   * @return the row
   */
  public Sandbox insert(Handle transaction, NewSandbox fresh, int claimSeconds) {
    String spec = specs.text(fresh.spec());
    Sandbox sandbox =
        transaction
            .createQuery(INSERT)
            .bindMethods(fresh)
            .bindMethods(fresh.consumer())
            .bindMethods(fresh.spec())
            .bind("extension", fresh.extensionId().text())
            .bindArray(
                "allowed",
                String.class,
                fresh.candidates().stream().map(ExtensionId::text).toArray())
            .bind("specText", spec)
            .bind("specHash", sha256(spec))
            .bind("hardTtlSeconds", fresh.spec().hardTtl().toSeconds())
            .bind("work", text(fresh.consumer().work()))
            .bind("labels", text(fresh.labels()))
            .bindArray("envNames", String.class, fresh.envNames())
            .bind("envSealed", fresh.envSealed())
            .bind("capabilities", array(fresh.capabilities()))
            .bind("claimSeconds", claimSeconds)
            .map(mapper)
            .one();
    publish(
        transaction,
        new Transition(
            sandbox, "sandbox.requested", Map.of("profile_id", fresh.spec().profileId())));
    return sandbox;
  }

  /**
   * Makes a change if the row is still as the change demands.
   *
   * @param transaction open
   * @param change what to write, and under which conditions
   * @return the row after the change; empty if the conditions did not hold, and nothing has
   *     happened
   */
  public Optional<Sandbox> apply(Handle transaction, Change change) {
    return applyAll(transaction, change).stream().findFirst();
  }

  /**
   * Makes a change of every row that meets its conditions.
   *
   * @param transaction open
   * @param change what to write, and under which conditions
   * @return the rows after the change
   */
  public List<Sandbox> applyAll(Handle transaction, Change change) {
    Query query = transaction.createQuery(change.sql(transitions::into) + " returning *");
    change.values().forEach(query::bind);
    List<Sandbox> changed = query.map(mapper).list();
    String type = change.type();
    if (type != null) {
      changed.forEach(row -> publish(transaction, new Transition(row, type, change.detail())));
    }
    return changed;
  }

  /**
   * Makes one change in a transaction of its own.
   *
   * @param change what to write
   * @return as {@link #apply(Handle, Change)}
   */
  public Optional<Sandbox> apply(Change change) {
    return change.type() == null
        ? jdbi.withHandle(single -> apply(single, change)) // one statement is a transaction
        : jdbi.inTransaction(transaction -> apply(transaction, change));
  }

  /**
   * Makes one change of a sandbox that is of something else from now on.
   *
   * @param change what to write besides
   * @param spec of the sandbox, and of its next generations
   * @return as {@link #apply(Handle, Change)}
   */
  public Optional<Sandbox> respecified(Change change, SandboxSpec spec) {
    String text = specs.text(spec);
    return apply(change.setJson("spec", text).set("spec_hash", sha256(text)));
  }

  /**
   * Finds one.
   *
   * @param id of the sandbox
   * @return empty if there is none
   */
  public Optional<Sandbox> find(SandboxId id) {
    return jdbi.withHandle(handle -> find(handle, id));
  }

  /**
   * How long one may be unused before that ends it.
   *
   * @param id of the sandbox
   * @return in seconds; empty if nothing ends it so
   */
  public OptionalLong idleSeconds(SandboxId id) {
    return jdbi.withHandle(
            handle ->
                handle
                    .select("select idle_seconds from sandbox where id = ?", id)
                    .mapTo(Long.class)
                    .findOne())
        .map(OptionalLong::of)
        .orElseGet(OptionalLong::empty);
  }

  /**
   * Finds one.
   *
   * @param handle to read with
   * @param id of the sandbox
   * @return empty if there is none
   */
  public Optional<Sandbox> find(Handle handle, SandboxId id) {
    return handle
        .createQuery("select * from sandbox where id = :id")
        .bind("id", id)
        .map(mapper)
        .findOne();
  }

  /**
   * Finds one of a tenant's.
   *
   * @param tenantId owner
   * @param id of the sandbox
   * @return empty if there is none, or it is another tenant's
   */
  public Optional<Sandbox> find(String tenantId, SandboxId id) {
    return find(id).filter(sandbox -> tenantId.equals(sandbox.tenantId()));
  }

  /**
   * Lists, newest first.
   *
   * @param filter which
   * @return at most the filter's limit
   */
  public List<Sandbox> list(SandboxFilter filter) {
    return jdbi.withHandle(handle -> list(handle, filter));
  }

  /**
   * Runs a query over table {@code sandbox} that returns whole rows.
   *
   * @param query with its values bound
   * @return the rows
   */
  public List<Sandbox> rows(Query query) {
    return query.map(mapper).list();
  }

  private List<Sandbox> list(Handle handle, SandboxFilter filter) {
    List<String> where = new ArrayList<>(List.of("true"));
    if (filter.tenantId() != null) {
      where.add("tenant_id = :tenant");
    }
    filter.equal().keySet().forEach(column -> where.add(column + " = :" + column));
    if (!filter.labels().isEmpty()) {
      where.add("labels @> cast(:wanted_labels as jsonb)");
    }
    if (filter.live()) {
      where.add("destroyed_at is null");
    }
    if (filter.after() != null) {
      where.add("(created_at, id) < (:after_at, :after_id)");
    }
    Query query =
        handle.createQuery(
            "select * from sandbox where "
                + String.join(" and ", where)
                + " order by created_at desc, id desc limit :limit");
    bind(query, filter);
    return rows(query);
  }

  private void bind(Query query, SandboxFilter filter) {
    query.bind("limit", filter.limit());
    if (filter.tenantId() != null) {
      query.bind("tenant", filter.tenantId());
    }
    filter.equal().forEach(query::bind);
    if (!filter.labels().isEmpty()) {
      query.bind("wanted_labels", text(filter.labels()));
    }
    RowPosition after = filter.after();
    if (after != null) {
      query.bind("after_at", after.at().atOffset(ZoneOffset.UTC));
      query.bind("after_id", after.id());
    }
  }

  private void publish(Handle transaction, Transition transition) {
    listeners.forEach(listener -> listener.changed(transaction, transition));
  }

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  private static String @Nullable [] array(@Nullable List<String> values) {
    return values == null ? null : values.toArray(String[]::new);
  }

  private String text(Object value) {
    try {
      return json.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a map of texts could not be written as JSON", e);
    }
  }
}
