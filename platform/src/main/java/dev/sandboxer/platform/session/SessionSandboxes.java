package dev.sandboxer.platform.session;

import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.order.Order;
import dev.sandboxer.platform.order.OrderRequest;
import dev.sandboxer.platform.order.OrderedArchives;
import dev.sandboxer.platform.order.OrderedSecrets;
import dev.sandboxer.platform.order.Orders;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.provisioning.Creates;
import dev.sandboxer.platform.routing.Plan;
import dev.sandboxer.platform.routing.Planner;
import dev.sandboxer.platform.routing.Routing;
import dev.sandboxer.platform.sandbox.Consumer;
import dev.sandboxer.platform.sandbox.ExtensionId;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.Sandboxes;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/** Where a new session's sandbox comes from: the caller's hint, else a new one of a profile. */
@ApplicationScoped
class SessionSandboxes {

  private static final String UNBOUND =
      """
      select id from sandbox
      where id = :id and tenant_id = :tenant and state in ('ready', 'active')
        and desired = 'running'
        and not exists (select 1 from session where sandbox_id = :id and ended_at is null)
      for no key update
      """;

  private final Orders orders;
  private final OrderedSecrets secrets;
  private final OrderedArchives archives;
  private final Planner planner;
  private final Creates creates;
  private final Sandboxes sandboxes;
  private final SessionSettings settings;
  private final CapabilityPolicy policy;
  private final ScopeVisibility visibility;

  SessionSandboxes(
      Orders orders,
      OrderedSecrets secrets,
      OrderedArchives archives,
      Planner planner,
      Creates creates,
      Sandboxes sandboxes,
      SessionSettings settings,
      CapabilityPolicy policy,
      ScopeVisibility visibility) {
    this.visibility = visibility;
    this.policy = policy;
    this.orders = orders;
    this.secrets = secrets;
    this.archives = archives;
    this.planner = planner;
    this.creates = creates;
    this.sandboxes = sandboxes;
    this.settings = settings;
  }

  /**
   * An own, live sandbox that no session holds and that the key may know; empty if the hint is no
   * such one.
   */
  Optional<Sandbox> hinted(Handle open, RequestedSession asked) {
    return asked
        .sandboxHint()
        .flatMap(
            id ->
                open.createQuery(UNBOUND)
                    .bind("id", id)
                    .bind("tenant", asked.tenantId())
                    .mapTo(SandboxId.class)
                    .findOne())
        .flatMap(id -> sandboxes.find(open, id))
        .filter(sandbox -> visibility.open(open, asked.onBehalfOf().principal(), sandbox));
  }

  /**
   * A sandbox to create, and where it may go.
   *
   * @param order what
   * @param plan where
   */
  record Planned(Order order, Plan plan) {}

  /**
   * What is to be made if the scope has no sandbox: one that lives as long as its session does,
   * within the hard limit. Not to be called in a transaction.
   */
  Planned plan(RequestedSession asked, String sessionId) {
    Order order =
        orders.resolve(
            new OrderRequest(
                asked.tenantId(),
                asked.onBehalfOf().principal().keyId(),
                asked.profile().orElseGet(() -> settings.profile(asked.scope().type())),
                asked.inputs().orElse(Map.of()),
                consumer(asked, sessionId),
                new OrderRequest.Life.OfSession(),
                Map.of(),
                Map.of(),
                List.of(),
                Optional.empty(),
                Optional.empty()));
    Order preferred = asked.provider().map(name -> on(order, name)).orElse(order);
    return new Planned(preferred, planner.plan(preferred.query()));
  }

  /** Whether more is needed than the plan before something can be made. */
  boolean needsMore(Planned planned) {
    return !planned.order().secretRefs().isEmpty() || archives.needed(planned.order());
  }

  /** What is to be made needs its secrets and archives. Not to be called in a transaction. */
  Planned whole(Planned planned) {
    secrets.check(planned.order());
    return new Planned(archives.kept(planned.order()), planned.plan());
  }

  private static Order on(Order order, String provider) {
    return Optional.of(provider)
        .filter(name -> name.matches("ext\\.[a-z0-9][a-z0-9-]{0,39}"))
        .map(ExtensionId::new)
        .filter(extension -> order.routing().allows(new Routing.Wanted(extension, null)))
        .map(order::on)
        .orElseThrow(
            () ->
                new ProblemException(
                    ErrorCode.NO_CANDIDATE,
                    "profile '%s' runs on %s, not on %s; leave provider_preference out"
                        .formatted(
                            order.profile().id(),
                            order.routing().extensions().stream()
                                .map(ExtensionId::text)
                                .collect(Collectors.joining(", ")),
                            provider)));
  }

  /**
   * Makes one.
   *
   * @throws ProblemException CAPABILITY_DENIED if its profile leaves nothing of the request
   */
  Sandbox create(Handle open, RequestedSession asked, Planned planned) {
    var _ = policy.grant(asked.onBehalfOf(), planned.order().capabilities(), asked.requested());
    return creates.create(open, planned.order(), planned.plan());
  }

  private static Consumer consumer(RequestedSession asked, String sessionId) {
    Consumer named = asked.consumer();
    return new Consumer(named.actor(), named.project(), sessionId, asked.runId(), named.work());
  }

  /** Whether a live session is of the profile that the request names. */
  boolean sameProfile(RequestedSession asked, SessionRow row) {
    if (asked.profile().isEmpty()) {
      return true;
    }
    String[] named = asked.profile().get().split("@", 2);
    String id = named[0].startsWith("profile.") ? named[0] : "profile." + named[0];
    return id.equals(row.sandbox().profileId())
        && (named.length == 1 || named[1].equals(Integer.toString(row.sandbox().profileVersion())));
  }
}
