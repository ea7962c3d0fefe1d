package dev.sandboxer.platform.provisioning;

import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import dev.sandboxer.platform.dataplane.wire.Transport;
import dev.sandboxer.platform.host.Hosts;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.ops.Failpoints;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.spi.DataplaneAddress;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.SandboxHandle;
import jakarta.enterprise.context.ApplicationScoped;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * How this node reaches the boxd of a live sandbox: by the address that its attempt keeps, through
 * the node that alone reaches its host, or by streams that the extension opens. Those are kept in
 * memory; after a restart the extension is asked for them again.
 */
@ApplicationScoped
class Transports {

  private static final Logger LOG = Logger.getLogger(Transports.class);

  /** Sandboxes that other nodes have ended are forgotten in the end; others are asked for again. */
  private static final Duration KEPT = Duration.ofHours(12);

  private static final Duration FAILURE_KEPT = Duration.ofSeconds(1);

  private final Jdbi jdbi;
  private final Addresses addresses;
  private final Attempts attempts;
  private final Backends backends;
  private final Hosts hosts;
  private final Failpoints failpoints;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final AsyncCache<Incarnation, Transport> opened =
      Caffeine.newBuilder()
          .expireAfter(Expiry.writing((Incarnation _, Transport value) -> kept(value)))
          .executor(threads)
          .buildAsync();

  Transports(
      Jdbi jdbi,
      Addresses addresses,
      Attempts attempts,
      Backends backends,
      Hosts hosts,
      Failpoints failpoints) {
    this.jdbi = jdbi;
    this.addresses = addresses;
    this.attempts = attempts;
    this.backends = backends;
    this.hosts = hosts;
    this.failpoints = failpoints;
  }

  private record Incarnation(SandboxId sandboxId, int generation) {}

  /**
   * Where the current attempt of a sandbox is.
   *
   * @param attemptId its id
   * @param dataplane what it keeps of its address
   * @param nodeId the only node that reaches its host, null if each does
   * @param nodeUrl where that node is called, null if it has not said so
   * @param nodeUp whether that node's lease holds
   */
  record Place(
      String attemptId,
      String dataplane,
      @Nullable String nodeId,
      @Nullable String nodeUrl,
      boolean nodeUp) {}

  private static Duration kept(Transport transport) {
    return transport instanceof Transport.Unreachable ? FAILURE_KEPT : KEPT;
  }

  /** Keeps what an extension has just said. */
  void keep(Sandbox sandbox, @Nullable DataplaneAddress address) {
    if (address instanceof DataplaneAddress.Streams) {
      opened.put(
          new Incarnation(sandbox.id(), sandbox.generation()),
          CompletableFuture.completedFuture(Transport.of(address)));
    }
  }

  /** Asks again the next time. */
  void forget(SandboxId sandboxId, int generation) {
    var _ = opened.asMap().remove(new Incarnation(sandboxId, generation));
  }

  /**
   * The transport to a sandbox. Blocks where the extension is asked; callers at the same time share
   * one call.
   *
   * @return empty if it has no dataplane
   */
  Optional<Transport> of(Sandbox sandbox, Place place) {
    String node = place.nodeId();
    if (node != null && !node.equals(hosts.node().id())) {
      return Optional.of(through(node, place));
    }
    if (!addresses.askedAgain(place.dataplane())) {
      return addresses.address(place.attemptId(), place.dataplane()).map(Transport::of);
    }
    return Optional.of(
        opened
            .get(
                new Incarnation(sandbox.id(), sandbox.generation()),
                (_, _) ->
                    CompletableFuture.supplyAsync(() -> ask(sandbox, place.attemptId()), threads))
            .join());
  }

  private static Transport through(String node, Place place) {
    if (!place.nodeUp()) {
      return new Transport.Unreachable("its node '" + node + "' does not run");
    }
    return place.nodeUrl() == null
        ? new Transport.Unreachable(
            "its node '" + node + "' has no SANDBOXER_INTERNAL_URL for other nodes")
        : new Transport.Peer(node, URI.create(place.nodeUrl()));
  }

  private Transport ask(Sandbox sandbox, String attemptId) {
    Optional<Attempt> attempt = jdbi.withHandle(open -> attempts.find(open, attemptId));
    SandboxHandle handle = attempt.map(Attempt::handle).orElse(null);
    if (handle == null) {
      return new Transport.Unreachable("it has no handle");
    }
    try {
      DataplaneAddress address = backends.reach(attempt.orElseThrow(), handle).dataplane();
      failpoints.reach("adopt.reached");
      return address == null
          ? new Transport.Unreachable("its extension says no address any more")
          : Transport.of(address);
    } catch (ExtensionException e) {
      LOG.warnf(
          "transport could not be opened again sandbox=%s code=%s message=%s",
          sandbox.publicId(), e.code(), e.getMessage());
      return new Transport.Unreachable("its extension says: " + e.getMessage());
    }
  }
}
