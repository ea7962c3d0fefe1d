package dev.sandboxer.platform.box;

import dev.sandboxer.platform.database.InTurn;
import dev.sandboxer.platform.id.Ids;
import dev.sandboxer.platform.id.RowPosition;
import dev.sandboxer.platform.installation.SealedTexts;
import dev.sandboxer.platform.ops.Failpoints;
import dev.sandboxer.platform.order.Order;
import dev.sandboxer.platform.order.OrderRequest;
import dev.sandboxer.platform.order.OrderedArchives;
import dev.sandboxer.platform.order.OrderedSecrets;
import dev.sandboxer.platform.order.Orders;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.Problem;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.provisioning.AddedFolders;
import dev.sandboxer.platform.provisioning.Creates;
import dev.sandboxer.platform.provisioning.SandboxLifecycle;
import dev.sandboxer.platform.routing.Plan;
import dev.sandboxer.platform.routing.Planner;
import dev.sandboxer.platform.sandbox.Change;
import dev.sandboxer.platform.sandbox.EndReason;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.Sandboxes;
import dev.sandboxer.spi.Mount;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** Gets or creates the box of a scope. */
@ApplicationScoped
public class Boxes {

  /** A use is written so often at most; the shortest idle time is ten times that. */
  private static final Duration KEPT = Duration.ofSeconds(1);

  private final Jdbi jdbi;
  private final InTurn turns;
  private final Ids ids;
  private final BoxRows rows;
  private final BoxQuota quota;
  private final Orders orders;
  private final OrderedSecrets secrets;
  private final OrderedArchives archives;
  private final Planner planner;
  private final Creates creates;
  private final SandboxLifecycle lifecycle;
  private final AddedFolders added;
  private final Sandboxes sandboxes;
  private final SealedTexts texts;
  private final Failpoints failpoints;

  Boxes(
      Jdbi jdbi,
      InTurn turns,
      Ids ids,
      BoxRows rows,
      BoxQuota quota,
      Orders orders,
      OrderedSecrets secrets,
      OrderedArchives archives,
      Planner planner,
      Creates creates,
      SandboxLifecycle lifecycle,
      AddedFolders added,
      Sandboxes sandboxes,
      SealedTexts texts,
      Failpoints failpoints) {
    this.jdbi = jdbi;
    this.turns = turns;
    this.ids = ids;
    this.rows = rows;
    this.quota = quota;
    this.orders = orders;
    this.secrets = secrets;
    this.archives = archives;
    this.planner = planner;
    this.creates = creates;
    this.lifecycle = lifecycle;
    this.added = added;
    this.sandboxes = sandboxes;
    this.texts = texts;
    this.failpoints = failpoints;
  }

  /** What a request came to. */
  public enum Outcome {
    /** The scope had a living box. */
    FOUND,
    /** The scope had none. */
    NEW,
    /** Its sandbox had ended, and a new one was made. */
    VANISHED,
    /** It differed from the request, and was recreated as requested. */
    CHANGED,
    /** The living box was given further folders of the host, as copies. */
    EXTENDED
  }

  /**
   * The box of a request.
   *
   * @param box as it is now
   * @param outcome how it came
   * @param lost public id of the sandbox that it had before, null if it had none or has it still
   * @param differences why it was recreated; empty if it was not
   */
  public record Ensured(
      Box box, Outcome outcome, @Nullable String lost, List<Difference> differences) {

    /** Keeps an immutable copy. */
    public Ensured {
      differences = List.copyOf(differences);
    }
  }

  /** What is to be made, and where it may go. */
  private record Planned(BoxRequest request, Order order, Plan plan) {}

  /**
   * Gives the box of a scope: the living one, else a new one. Of all that ask at once one makes it,
   * the others get the same.
   *
   * @param request checked
   * @return with a sandbox that may not be ready yet
   * @throws ProblemException BOX_CONFLICT with {@code differences} if the living box differs and
   *     may not be recreated; QUOTA_EXCEEDED if the tenant holds as many boxes as it may; as for a
   *     create of a sandbox
   * @throws InterruptedException if the waiting thread is interrupted
   */
  public Ensured ensure(BoxRequest request) throws InterruptedException {
    return ensure(request, _ -> {});
  }

  /**
   * The same where somebody else has a say in it.
   *
   * @param request checked
   * @param admission runs in the transaction that makes a box for a scope without a living one,
   *     before anything is written; it throws where there must be no further one
   * @return as for {@link #ensure(BoxRequest)}
   * @throws InterruptedException if the waiting thread is interrupted
   */
  public Ensured ensure(BoxRequest request, Consumer<Handle> admission)
      throws InterruptedException {
    Optional<Ensured> ensured = jdbi.withHandle(handle -> living(handle, request));
    if (ensured.isEmpty() && request.named(BoxField.MOUNTS)) {
      ensured = extend(request);
    }
    while (ensured.isEmpty()) {
      ensured =
          turns.run(
              BoxScope.turn(request.tenantId(), request.scope().name()),
              Creates.turn(request.tenantId()),
              () -> plan(request),
              (open, planned) -> ensure(open, request, planned, admission));
    }
    return ensured.get();
  }

  /**
   * Checks that a box could be made, as far as that can be seen without making one.
   *
   * @param tenantId owner
   * @param principalId the key that asks
   * @param spec what it would be made of
   * @throws ProblemException VALIDATION as for a create of a sandbox
   */
  public void check(String tenantId, String principalId, BoxSpec spec) {
    var _ = orders.resolve(orderRequest(tenantId, principalId, spec, Map.of()));
  }

  /**
   * Gives a box that is to be used now: made again, from the request that it was made from, if its
   * sandbox has ended.
   *
   * @param box as it was just read
   * @param principalId the key that uses it
   * @return as for {@link #ensure}
   * @throws InterruptedException if the waiting thread is interrupted
   */
  public Ensured use(Box box, String principalId) throws InterruptedException {
    if (box.living()) {
      return jdbi.withHandle(handle -> found(handle, box));
    }
    return ensure(
        new BoxRequest(
            box.tenantId(),
            principalId,
            box.scope(),
            box.spec(),
            unseal(box),
            EnumSet.noneOf(BoxField.class),
            OnChange.CONFLICT));
  }

  /**
   * Finds one.
   *
   * @param tenantId owner
   * @param id such as {@code box_...}
   * @return empty if the tenant has none of this id
   */
  public Optional<Box> find(String tenantId, String id) {
    return jdbi.withHandle(handle -> rows.find(handle, tenantId, id));
  }

  /**
   * Finds the one of a scope.
   *
   * @param tenantId owner
   * @param scope within the tenant
   * @return empty if it has none, living or not
   */
  public Optional<Box> find(String tenantId, BoxScope scope) {
    return jdbi.withHandle(handle -> rows.find(handle, tenantId, scope));
  }

  /**
   * Lists the living boxes whose scopes' names begin alike.
   *
   * @param tenantId owner
   * @param prefix of the names
   * @param limit how many at most
   * @return oldest first
   */
  public List<Box> living(String tenantId, String prefix, int limit) {
    return jdbi.withHandle(handle -> rows.living(handle, tenantId, prefix, limit));
  }

  /**
   * Counts the living boxes whose scopes' names begin alike.
   *
   * @param open a transaction, in which the answer may count for something
   * @param tenantId owner
   * @param prefix of the names
   * @return at least 0
   */
  public int countLiving(Handle open, String tenantId, String prefix) {
    return rows.countLiving(open, tenantId, prefix);
  }

  /**
   * Lists a tenant's, newest first.
   *
   * @param tenantId owner
   * @param after where the page before ended, null for the first
   * @param limit how many at most
   * @return a page
   */
  public List<Box> list(String tenantId, @Nullable RowPosition after, int limit) {
    return jdbi.withHandle(handle -> rows.list(handle, tenantId, after, limit));
  }

  /**
   * Forgets a box and has its sandbox destroyed, in turn with those that ask for it.
   *
   * @param box as read; the sandbox that it has by now ends
   * @throws InterruptedException if the waiting thread is interrupted
   */
  public void delete(Box box) throws InterruptedException {
    var _ =
        turns.run(
            BoxScope.turn(box.tenantId(), box.scope().name()),
            () -> box.id(),
            (open, id) -> {
              Optional<Box> now = rows.find(open, box.tenantId(), id);
              now.ifPresent(one -> lifecycle.end(open, one.sandbox().id(), EndReason.REQUESTED));
              rows.delete(open, id);
              return now.isPresent();
            });
  }

  /** The living box, if it is as requested. */
  private Optional<Ensured> living(Handle handle, BoxRequest request) {
    Optional<Box> box = rows.find(handle, request.tenantId(), request.scope()).filter(Box::living);
    if (box.isEmpty() || !differences(box.get(), request).isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(found(handle, box.get()));
  }

  /** Further mounts of a living box, where they are all that differs and can be copied in. */
  private Optional<Ensured> extend(BoxRequest request) throws InterruptedException {
    return turns.run(
        BoxScope.turn(request.tenantId(), request.scope().name()),
        () -> copied(request),
        (open, extended) -> extended.map(box -> extended(open, request, box)));
  }

  private Optional<Box> copied(BoxRequest request) throws InterruptedException {
    Optional<Box> box =
        jdbi.withHandle(handle -> rows.find(handle, request.tenantId(), request.scope()))
            .filter(Box::living);
    if (box.isEmpty()) {
      return Optional.empty();
    }
    List<Mount.HostFolder> folders =
        Differences.toCopy(box.get(), request, differences(box.get(), request));
    if (folders.isEmpty()) {
      return Optional.empty();
    }
    check(
        request.tenantId(),
        request.principalId(),
        box.get().spec().mounting(mounts(box.get(), folders)));
    return added(box.get(), folders);
  }

  /** Each is recorded as soon as it is inside: where a later one fails, it stays the box's. */
  private Optional<Box> added(Box box, List<Mount.HostFolder> folders) throws InterruptedException {
    Box now = box;
    for (Mount.HostFolder folder : folders) {
      if (!added.add(box.sandbox().id(), folder)) {
        return Optional.empty();
      }
      Box extended = now.mounting(mounts(now, List.of(folder)));
      jdbi.useHandle(open -> rows.extended(open, box.id(), extended.spec()));
      now = extended;
    }
    return Optional.of(now);
  }

  private static List<Mount> mounts(Box box, List<Mount.HostFolder> folders) {
    List<Mount> all = new ArrayList<>(box.spec().mounts());
    all.addAll(folders);
    return all;
  }

  private Ensured extended(Handle open, BoxRequest request, Box box) {
    return new Ensured(
        rows.find(open, request.tenantId(), box.id()).orElseThrow(),
        Outcome.EXTENDED,
        null,
        List.of());
  }

  private Ensured found(Handle handle, Box box) {
    if (box.sinceKept().compareTo(KEPT) > 0) {
      rows.used(handle, box.id());
    }
    return new Ensured(box, Outcome.FOUND, null, List.of());
  }

  /** Nothing is planned where the one before in turn has made the box. */
  private Optional<Planned> plan(BoxRequest request) {
    Optional<Box> before =
        jdbi.withHandle(handle -> rows.find(handle, request.tenantId(), request.scope()));
    if (before.isPresent() && before.get().living()) {
      List<Difference> differences = differences(before.get(), request);
      if (differences.isEmpty()) {
        return Optional.empty();
      }
      if (request.onChange() == OnChange.CONFLICT) {
        throw conflict(before.get(), differences);
      }
    }
    BoxRequest whole = before.map(box -> request.filledFrom(box, unseal(box))).orElse(request);
    OrderRequest asked =
        orderRequest(whole.tenantId(), whole.principalId(), whole.spec(), whole.env());
    Order resolved = orders.resolve(asked).idle(whole.spec().idle());
    secrets.check(resolved);
    Order order = archives.kept(resolved);
    Planned planned = new Planned(whole, order, planner.plan(order.query()));
    failpoints.reach("box.planned");
    return Optional.of(planned);
  }

  private static OrderRequest orderRequest(
      String tenantId, String principalId, BoxSpec spec, Map<String, String> env) {
    return new OrderRequest(
        tenantId,
        principalId,
        spec.profile(),
        spec.inputs(),
        spec.consumer(),
        spec.ttlSeconds().isPresent()
            ? new OrderRequest.Life.Ttl(spec.ttlSeconds())
            : new OrderRequest.Life.OfSession(),
        spec.labels(),
        env,
        spec.mounts(),
        Optional.empty(),
        Optional.empty());
  }

  /** Empty if the box has changed since it was planned. */
  private Optional<Ensured> ensure(
      Handle open, BoxRequest request, Optional<Planned> planned, Consumer<Handle> admission) {
    Optional<Ensured> living = living(open, request);
    if (living.isPresent() || planned.isEmpty()) {
      return living;
    }
    Optional<Box> before = rows.find(open, request.tenantId(), request.scope());
    Optional<Box> other = before.filter(Box::living);
    List<Difference> differences = other.map(box -> differences(box, request)).orElse(List.of());
    if (other.isPresent() && request.onChange() == OnChange.CONFLICT) {
      return Optional.empty();
    }
    if (other.isEmpty()) {
      admission.accept(open);
    }
    other.ifPresent(box -> lifecycle.end(open, box.sandbox().id(), EndReason.REPLACED));
    return Optional.of(make(open, planned.get(), before, differences));
  }

  private Ensured make(
      Handle open, Planned planned, Optional<Box> before, List<Difference> differences) {
    BoxRequest request = planned.request();
    if (before.isEmpty()) {
      quota.reserve(open, planned.order().asked());
    }
    Sandbox sandbox = creates.create(open, planned.order(), planned.plan());
    String id = before.map(Box::id).orElseGet(() -> ids.make("box"));
    byte @Nullable [] env = texts.seal(row(id), request.env());
    if (before.isEmpty()) {
      rows.insert(open, id, request, sandbox.id(), env);
    } else {
      rows.update(open, id, request.spec(), sandbox.id(), env);
    }
    failpoints.reach("box.recorded");
    Outcome outcome =
        before.isEmpty() ? Outcome.NEW : differences.isEmpty() ? Outcome.VANISHED : Outcome.CHANGED;
    var _ =
        sandboxes.apply(
            open,
            Change.note(sandbox.id(), "box.started")
                .detail("box_id", id)
                .detail("reason", outcome.name().toLowerCase(Locale.ROOT)));
    return new Ensured(
        rows.find(open, request.tenantId(), id).orElseThrow(),
        outcome,
        before.map(box -> box.sandbox().id().publicId()).orElse(null),
        differences);
  }

  private List<Difference> differences(Box box, BoxRequest request) {
    return Differences.of(box, request.named(BoxField.ENV) ? unseal(box) : Map.of(), request);
  }

  private static ProblemException conflict(Box box, List<Difference> differences) {
    String fields = differences.stream().map(Difference::field).collect(Collectors.joining(", "));
    return new ProblemException(
        Problem.of(
                ErrorCode.BOX_CONFLICT,
                "the living box %s differs in %s; leave that out to use it as it is, delete it, or ask with 'on_change: recreate', which ends its processes and loses its files outside mounts"
                    .formatted(box.id(), fields))
            .with("box_id", box.id())
            .with("sandbox_id", box.sandbox().id().publicId())
            .with("differences", differences.stream().map(Boxes::shown).toList()));
  }

  private static Map<String, Object> shown(Difference difference) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("field", difference.field());
    shown.put("box", difference.box());
    shown.put("request", difference.request());
    return shown;
  }

  private Map<String, String> unseal(Box box) {
    return texts.unseal(row(box.id()), box.envSealed());
  }

  private static String row(String id) {
    return "box/" + id + "/env";
  }
}
