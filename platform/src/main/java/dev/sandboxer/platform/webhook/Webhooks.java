package dev.sandboxer.platform.webhook;

import dev.sandboxer.platform.delivery.TenantSinks;
import dev.sandboxer.platform.id.Ids;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.quota.Asked;
import dev.sandboxer.platform.quota.Reached;
import dev.sandboxer.platform.quota.Refusals;
import jakarta.enterprise.context.ApplicationScoped;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;
import org.jspecify.annotations.Nullable;

/** The webhooks of tenants. */
@ApplicationScoped
public class Webhooks {

  /** How many a tenant may have. */
  private static final int MOST = 20;

  private static final String SELECT =
      """
      select w.id, w.url, w.description, s.types, w.profiles, s.state = 'active' as enabled,
        s.paused_reason, s.paused_at, s.failures, s.last_error, s.failing_since,
        t.waiting, t.parked, w.created_at,
        case when w.old_secret_until > clock_timestamp() then w.old_secret_until end
          as old_secret_until
      from webhook w join sink s on s.id = w.id cross join lateral (
        select coalesce(sum(head_seq - next_seq + 1), 0) as waiting, count(parked_at) as parked
        from sink_stream where sink_id = w.id and next_seq <= head_seq) t
      where w.tenant_id = :tenant
      """;

  private static final String INSERT =
      """
      insert into webhook (id, tenant_id, url, description, profiles, secret_sealed)
      values (:id, :tenant, :url, :description, :profiles, :secret)
      """;

  private static final String UPDATE =
      """
      update webhook set url = coalesce(:url, url),
        description = coalesce(:description, description),
        profiles = coalesce(:profiles, profiles)
      where id = :id
      """;

  private static final String ROTATE =
      """
      update webhook set old_sealed = secret_sealed,
        old_secret_until = clock_timestamp() + interval '24 hours', secret_sealed = :secret
      where id = :id and tenant_id = :tenant
      """;

  private final Jdbi jdbi;
  private final Ids ids;
  private final SecretSeal seal;
  private final TenantSinks sinks;
  private final Sender sender;
  private final Refusals refusals;
  private final SecureRandom random = new SecureRandom();

  Webhooks(
      Jdbi jdbi, Ids ids, SecretSeal seal, TenantSinks sinks, Sender sender, Refusals refusals) {
    this.jdbi = jdbi;
    this.ids = ids;
    this.seal = seal;
    this.sinks = sinks;
    this.sender = sender;
    this.refusals = refusals;
  }

  /**
   * Refuses a URL that would never be called. Blocks on the name service. An https URL on port 443
   * whose name has no address passes: it may get one later, and is checked again before each call.
   *
   * @param url to check
   * @throws IllegalArgumentException for a person
   */
  public void check(String url) {
    WebhookUrl parsed = WebhookUrl.parse(url);
    try {
      var _ = sender.addressees().of(parsed);
    } catch (UnknownHostException e) {
      if (!parsed.ordinary()) {
        throw new IllegalArgumentException(Addressees.REFUSED, e);
      }
    } catch (Addressees.RefusedException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  /**
   * Makes a secret.
   *
   * @return new
   */
  public WebhookSecret newSecret() {
    return WebhookSecret.make(random);
  }

  /**
   * Makes a webhook.
   *
   * @param open transaction
   * @param tenantId owner
   * @param asked with a URL
   * @param secret that signs
   * @return it
   * @throws ProblemException QUOTA_EXCEEDED if the tenant has as many as it may
   */
  public Webhook make(Handle open, String tenantId, RequestedWebhook asked, WebhookSecret secret) {
    reserve(open, tenantId);
    String id = ids.make("whk");
    sinks.make(open, id, WebhookLane.KIND, tenantId, Set.of());
    open.createUpdate(INSERT)
        .bind("id", id)
        .bind("tenant", tenantId)
        .bind("url", asked.url().orElseThrow())
        .bind("description", asked.description().orElse(""))
        .bindArray("profiles", String.class, asked.profiles().orElse(List.of()).toArray())
        .bind("secret", seal.seal(id, secret))
        .execute();
    subscribe(open, id, asked);
    return find(open, tenantId, id).orElseThrow();
  }

  private void subscribe(Handle open, String id, RequestedWebhook asked) {
    asked.types().ifPresent(types -> sinks.want(open, id, new LinkedHashSet<>(types)));
    asked
        .enabled()
        .ifPresent(
            enabled -> {
              if (enabled) {
                sinks.resume(open, id);
              } else {
                sinks.pause(open, id, null);
              }
            });
  }

  private void reserve(Handle open, String tenantId) {
    long count =
        open.createQuery("select count(*) from webhook where tenant_id = :tenant")
            .bind("tenant", tenantId)
            .mapTo(Long.class)
            .one();
    if (count >= MOST) {
      String message = "the tenant has %d webhooks, and may not have more".formatted(count);
      throw refusals.refuse(
          open,
          new Asked(tenantId, null, null),
          new Reached("webhooks", null, null, MOST, count, message));
    }
  }

  /**
   * Lists a tenant's webhooks.
   *
   * @param tenantId owner
   * @return oldest first
   */
  public List<Webhook> list(String tenantId) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(SELECT + " order by w.created_at, w.id")
                .bind("tenant", tenantId)
                .map(ConstructorMapper.of(Webhook.class))
                .list());
  }

  /**
   * Finds a webhook.
   *
   * @param handle to read with
   * @param tenantId owner
   * @param id {@code whk_...}
   * @return empty if there is none, or it is another tenant's
   */
  public Optional<Webhook> find(Handle handle, String tenantId, String id) {
    return handle
        .createQuery(SELECT + " and w.id = :id")
        .bind("tenant", tenantId)
        .bind("id", id)
        .map(ConstructorMapper.of(Webhook.class))
        .findOne();
  }

  /**
   * Finds a webhook.
   *
   * @param tenantId owner
   * @param id {@code whk_...}
   * @return empty if there is none, or it is another tenant's
   */
  public Optional<Webhook> find(String tenantId, String id) {
    return jdbi.withHandle(handle -> find(handle, tenantId, id));
  }

  /**
   * Changes a webhook. Enabling one begins all retries again, at once.
   *
   * @param tenantId owner
   * @param id {@code whk_...}
   * @param asked what changes
   * @return as it is now, empty if there is none
   */
  public Optional<Webhook> change(String tenantId, String id, RequestedWebhook asked) {
    return jdbi.inTransaction(
        open ->
            find(open, tenantId, id)
                .flatMap(
                    _ -> {
                      open.createUpdate(UPDATE)
                          .bind("id", id)
                          .bind("url", asked.url().orElse(null))
                          .bind("description", asked.description().orElse(null))
                          .bind("profiles", array(asked.profiles().orElse(null)))
                          .execute();
                      subscribe(open, id, asked);
                      return find(open, tenantId, id);
                    }));
  }

  private static String @Nullable [] array(@Nullable List<String> texts) {
    return texts == null ? null : texts.toArray(String[]::new);
  }

  /**
   * Removes a webhook with its log and backlog.
   *
   * @param tenantId owner
   * @param id {@code whk_...}
   * @return as it was, empty if there is none
   */
  public Optional<Webhook> remove(String tenantId, String id) {
    return jdbi.inTransaction(
        open -> {
          Optional<Webhook> found = find(open, tenantId, id);
          found.ifPresent(_ -> sinks.remove(open, id));
          return found;
        });
  }

  /**
   * Gives a webhook another secret. The one before signs too for 24 hours.
   *
   * @param tenantId owner
   * @param id {@code whk_...}
   * @param secret the new one
   * @return as it is now, empty if there is none
   */
  public Optional<Webhook> rotate(String tenantId, String id, WebhookSecret secret) {
    return jdbi.inTransaction(
        open -> {
          open.createUpdate(ROTATE)
              .bind("id", id)
              .bind("tenant", tenantId)
              .bind("secret", seal.seal(id, secret))
              .execute();
          return find(open, tenantId, id);
        });
  }
}
