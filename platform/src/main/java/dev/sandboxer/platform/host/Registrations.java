package dev.sandboxer.platform.host;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.platform.extension.ExtensionRegistry;
import dev.sandboxer.platform.extension.ExtensionSchemas;
import dev.sandboxer.platform.extension.HostCredentials;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.Problem;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.sandbox.ExtensionId;
import dev.sandboxer.spi.ExtensionDescriptor;
import dev.sandboxer.spi.HostRef;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** Registers, changes and removes hosts. */
@ApplicationScoped
public class Registrations {

  /** A name of a removed host is free again, once nothing of its sandboxes is left. */
  private static final String REGISTER =
      """
      insert into host (id, extension_id, address, node_id, region, labels, settings, credentials,
        max_sandboxes, max_cpus, max_memory_bytes)
      values (:id, :extension, :address, :node, :region, cast(:labels as jsonb),
        cast(:settings as jsonb), cast(:credentials as jsonb), :sandboxes, :cpus, :memory)
      on conflict (id) do update set extension_id = excluded.extension_id,
        address = excluded.address, node_id = excluded.node_id, region = excluded.region,
        labels = excluded.labels, settings = excluded.settings,
        credentials = excluded.credentials, max_sandboxes = excluded.max_sandboxes,
        max_cpus = excluded.max_cpus, max_memory_bytes = excluded.max_memory_bytes,
        admission = 'open', running = 'keep', removed_at = null,
        created_at = clock_timestamp()
      where host.removed_at is not null
        and not exists (select 1 from attempt a where a.host_id = host.id
          and (a.cleanup is null or a.cleanup = 'pending'))
      """;

  private static final String CHANGE =
      """
      update host set address = :address, region = :region, labels = cast(:labels as jsonb),
        settings = cast(:settings as jsonb), credentials = cast(:credentials as jsonb),
        max_sandboxes = :sandboxes, max_cpus = :cpus, max_memory_bytes = :memory
      where id = :id and removed_at is null
      """;

  private static final String TRY_AGAIN =
      "update host_probe set due_at = clock_timestamp() where host_id = ?";

  private static final String ADMIT =
      """
      update host set admission = :admission, running = :running
      where id = :id and removed_at is null
      """;

  /** Open attempts on a host: live sandboxes, and remains that were not yet seen clean. */
  private static final String HELD =
      """
      select (select count(*) from attempt
          where host_id = :id and (cleanup is null or cleanup = 'pending'))
        + (select count(*) from volume where host_id = :id)
      """;

  private static final String REMOVE =
      """
      update host set removed_at = clock_timestamp(), admission = 'draining', running = 'end'
      where id = :id and removed_at is null
      """;

  private final Jdbi jdbi;
  private final Hosts hosts;
  private final Fleet fleet;
  private final ExtensionRegistry registry;
  private final ExtensionSchemas schemas;
  private final ObjectMapper json;

  Registrations(
      Jdbi jdbi,
      Hosts hosts,
      Fleet fleet,
      ExtensionRegistry registry,
      ExtensionSchemas schemas,
      ObjectMapper json) {
    this.jdbi = jdbi;
    this.hosts = hosts;
    this.fleet = fleet;
    this.registry = registry;
    this.schemas = schemas;
    this.json = json;
  }

  /**
   * Registers a host. Does not ask the backend: its health shows soon.
   *
   * @param wanted what is to be registered
   * @return the host
   * @throws ProblemException VALIDATION with {@code field} if a value is wrong; INVALID_STATE if
   *     there is a host of that name, or one that was removed still has remains
   */
  public Host register(Registration wanted) {
    ExtensionDescriptor can = descriptor(wanted.extension());
    checkCredentials(wanted.credentials());
    checkSettings(wanted.extension(), wanted.settings());
    @Nullable String node = node(wanted, can);
    boolean done =
        jdbi.inTransaction(
            open -> {
              boolean made =
                  open.createUpdate(REGISTER)
                          .bind("id", wanted.name())
                          .bind("extension", wanted.extension().text())
                          .bind("address", wanted.address())
                          .bind("node", node)
                          .bind("region", wanted.region())
                          .bind("labels", text(wanted.labels()))
                          .bind("settings", text(wanted.settings()))
                          .bind("credentials", text(wanted.credentials()))
                          .bind("sandboxes", wanted.capacity().sandboxes())
                          .bind("cpus", wanted.capacity().cpus())
                          .bind("memory", wanted.capacity().memoryBytes())
                          .execute()
                      == 1;
              if (made) {
                // What an earlier host of this name was says nothing of this one.
                open.execute("delete from host_probe where host_id = ?", wanted.name());
              }
              return made;
            });
    if (!done) {
      throw new ProblemException(
          ErrorCode.INVALID_STATE,
          fleet.find(wanted.name()).isPresent()
              ? "there is a host '%s' already: change it, or choose another name"
                  .formatted(wanted.name())
              : "the host '%s' that was removed still has remains: choose another name"
                  .formatted(wanted.name()));
    }
    return now(wanted.name());
  }

  private ExtensionDescriptor descriptor(ExtensionId extension) {
    return registry
        .descriptor(extension.text())
        .orElseThrow(
            () ->
                wrong(
                    "extension",
                    "there is no extension '%s' here; there are %s"
                        .formatted(extension, registry.callable().stream().sorted().toList())));
  }

  /** Null where every node reaches the host. */
  private @Nullable String node(Registration wanted, ExtensionDescriptor can) {
    HostRef there = new HostRef(wanted.name(), wanted.address());
    boolean bound = can.nodeBound(there) || there.local();
    if (!bound) {
      if (wanted.node() != null) {
        throw wrong(
            "node",
            "hosts of %s at %s are reached by all nodes: leave it out"
                .formatted(can.id(), wanted.address()));
      }
      return null;
    }
    String node = Objects.requireNonNullElse(wanted.node(), hosts.node().id());
    List<String> known = jdbi.withHandle(Registrations::nodes);
    if (!known.contains(node)) {
      throw wrong("node", "there is no node '%s'; there are %s".formatted(node, known));
    }
    return node;
  }

  private static List<String> nodes(Handle open) {
    return open.createQuery("select id from node order by id").mapTo(String.class).list();
  }

  private void checkSettings(ExtensionId extension, Map<String, Object> settings) {
    List<ExtensionSchemas.Mistake> mistakes = schemas.hostSettings(extension.text(), settings);
    if (!mistakes.isEmpty()) {
      throw new ProblemException(
          Problem.of(
                  ErrorCode.VALIDATION,
                  mistakes.stream()
                      .map(one -> "field '%s': %s".formatted(field(one), one.message()))
                      .collect(Collectors.joining("; ")))
              .with("field", field(mistakes.getFirst())));
    }
  }

  private static String field(ExtensionSchemas.Mistake mistake) {
    return mistake.path().stream()
        .map(step -> step instanceof Integer ? "[" + step + "]" : "." + step)
        .collect(Collectors.joining("", "settings", ""));
  }

  private static void checkCredentials(Map<String, String> credentials) {
    credentials.forEach(
        (name, reference) -> {
          @Nullable String mistake = HostCredentials.mistake(reference);
          if (mistake != null) {
            throw wrong("credentials." + name, mistake);
          }
        });
  }

  /**
   * Changes a host. What runs there is reached by the new address and credentials from now on.
   *
   * @param id its name
   * @param change what is to change
   * @return the host now
   * @throws ProblemException NOT_FOUND, or VALIDATION with {@code field}
   */
  public Host change(String id, HostChange change) {
    Host host = now(id);
    @Nullable ExtensionId extension = host.extension();
    if (extension == null && change.ofExtension()) {
      throw wrong(
          "address",
          "%s is a node's own machine: only labels, region and capacity can be set".formatted(id));
    }
    change.credentials().ifPresent(Registrations::checkCredentials);
    if (extension != null) {
      change.settings().ifPresent(settings -> checkSettings(extension, settings));
      change.address().ifPresent(address -> checkAddress(extension, host.ref(), address));
    }
    write(host, change);
    return now(id);
  }

  /** Which nodes reach a host is decided when it is registered. */
  private void checkAddress(ExtensionId extension, HostRef now, String address) {
    HostRef then = new HostRef(now.id(), address);
    boolean another =
        registry
            .descriptor(extension.text())
            .filter(can -> can.nodeBound(now) != can.nodeBound(then))
            .isPresent();
    if (another) {
      throw wrong(
          "address",
          "'%s' is on a node's own machine and '%s' on another one, or the other way round: add another host, and remove this one"
              .formatted(now.address(), address));
    }
  }

  private void write(Host host, HostChange change) {
    Capacity capacity = change.capacity().orElse(host.capacity());
    jdbi.useTransaction(
        open -> {
          open.execute(TRY_AGAIN, host.ref().id());
          open.createUpdate(CHANGE)
              .bind("id", host.ref().id())
              .bind("address", change.address().orElse(host.ref().address()))
              .bind("region", region(host, change))
              .bind("labels", text(change.labels().orElse(host.labels())))
              .bind("settings", text(change.settings().orElse(host.ref().settings())))
              .bind("credentials", text(change.credentials().orElse(host.ref().credentials())))
              .bind("sandboxes", capacity.sandboxes())
              .bind("cpus", capacity.cpus())
              .bind("memory", capacity.memoryBytes())
              .execute();
        });
  }

  private static @Nullable String region(Host host, HostChange change) {
    return change.region().isPresent() ? change.region().get().name() : host.region();
  }

  /**
   * Says whether a host takes new sandboxes.
   *
   * @param id its name
   * @param admission from now on
   * @param running what becomes of its sandboxes
   * @return the host now
   * @throws ProblemException NOT_FOUND
   */
  public Host admit(String id, Admission admission, Running running) {
    jdbi.useHandle(
        open ->
            open.createUpdate(ADMIT)
                .bind("id", id)
                .bind("admission", admission.text())
                .bind("running", running.text())
                .execute());
    return now(id);
  }

  /**
   * Removes a host. Its records stay.
   *
   * @param id its name
   * @param force also while it holds something: its sandboxes end, and what is left of them is
   *     cleaned up
   * @throws ProblemException NOT_FOUND; INVALID_STATE while it holds something, or if it is the own
   *     machine of a node that runs
   */
  public void remove(String id, boolean force) {
    Host host = now(id);
    if (host.extension() == null && host.nodeUp()) {
      throw new ProblemException(
          ErrorCode.INVALID_STATE,
          "%s is the machine of a node that runs: cordon it, or stop the node first".formatted(id));
    }
    long held = jdbi.inTransaction(open -> remove(open, id, force));
    if (held > 0) {
      throw new ProblemException(
          ErrorCode.INVALID_STATE,
          "%s holds %d sandboxes, remains of them or volumes: drain it first, or remove it with force=true"
              .formatted(id, held));
    }
    fleet.changed();
  }

  /**
   * Returns the number of open attempts and volumes that prevented the removal; 0 if it is removed.
   */
  private static long remove(Handle open, String id, boolean force) {
    open.createQuery("select id from host where id = :id for update")
        .bind("id", id)
        .mapTo(String.class)
        .one();
    long held = open.createQuery(HELD).bind("id", id).mapTo(Long.class).one();
    if (held > 0 && !force) {
      return held;
    }
    open.createUpdate(REMOVE).bind("id", id).execute();
    return 0;
  }

  private Host now(String id) {
    fleet.changed();
    return fleet
        .find(id)
        .orElseThrow(
            () ->
                new ProblemException(
                    ErrorCode.NOT_FOUND,
                    "there is no host '%s'; there are %s"
                        .formatted(
                            id, fleet.hosts().stream().map(host -> host.ref().id()).toList())));
  }

  private String text(Map<String, ?> values) {
    try {
      return json.writeValueAsString(values);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a map could not be written as JSON", e);
    }
  }

  private static ProblemException wrong(String field, String detail) {
    return new ProblemException(
        Problem.of(ErrorCode.VALIDATION, "field '%s': %s".formatted(field, detail))
            .with("field", field));
  }
}
