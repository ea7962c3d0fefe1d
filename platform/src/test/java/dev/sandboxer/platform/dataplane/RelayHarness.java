package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.audit.AuditEntry;
import dev.sandboxer.platform.connection.RequestBounds;
import dev.sandboxer.platform.dataplane.DataplaneTargets.Target;
import dev.sandboxer.platform.dataplane.wire.SocketCheck;
import dev.sandboxer.platform.dataplane.wire.Transport;
import dev.sandboxer.platform.dataplane.wire.WireClient;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.token.AcceptedTokens;
import dev.sandboxer.platform.token.Capability;
import dev.sandboxer.platform.token.ClientGrant;
import dev.sandboxer.platform.token.Issuer;
import dev.sandboxer.platform.token.KeyRing;
import dev.sandboxer.platform.token.PeerCheck;
import dev.sandboxer.platform.token.PortPasses;
import dev.sandboxer.platform.token.TokenMinter;
import dev.sandboxer.platform.token.TokenVerifier;
import dev.sandboxer.platform.trace.RequestTracing;
import dev.sandboxer.platform.trace.Tracing;
import dev.sandboxer.spi.DataplaneAddress;
import dev.sandboxer.spi.DataplaneAddress.Streams;
import dev.sandboxer.testing.faulty.SocketOpener;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.ext.web.Router;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.TrustManagerFactory;
import org.awaitility.Awaitility;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** The relay on a loopback port, as the platform mounts it, with sandboxes kept in a map. */
final class RelayHarness implements AutoCloseable {

  static {
    // The library's own ten seconds are less than a busy machine may stand still.
    Awaitility.setDefaultTimeout(Duration.ofSeconds(60));
  }

  static final SandboxId ID = new SandboxId("abcdefghij0123456789");
  static final String NODE = "one";
  static final String TENANT = "ten_abcdefghij0123456789";

  final KeyRing keys;
  final Issuer issuer = new Issuer("11111111-2222-3333-4444-555555555555");
  final TokenMinter minter;
  final OpenStreams streams = new OpenStreams();
  final MapTargets targets = new MapTargets();
  final List<AuditEntry> audited = new CopyOnWriteArrayList<>();
  final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final Vertx vertx;
  private final HttpServer server;
  private @Nullable RelayHarness peer;
  final BoxdClient boxdClient;
  final SandboxCalls calls;
  final SandboxCommands commands;

  RelayHarness() {
    this(RelayTimeouts.USUAL);
  }

  RelayHarness(RelayTimeouts patience) {
    this(patience, new Tracing(Optional.empty(), Optional.empty(), "test"));
  }

  RelayHarness(RelayTimeouts patience, Tracing tracing) {
    this(patience, tracing, Optional.empty(), WireClient.SLOT_LIMIT);
  }

  RelayHarness(Optional<TrustManagerFactory> authorities, Duration slotLimit) {
    this(
        RelayTimeouts.USUAL,
        new Tracing(Optional.empty(), Optional.empty(), "test"),
        authorities,
        slotLimit);
  }

  private RelayHarness(RelayHarness other) {
    this(
        other.keys,
        RelayTimeouts.USUAL,
        new Tracing(Optional.empty(), Optional.empty(), "test"),
        Optional.empty(),
        WireClient.SLOT_LIMIT);
  }

  private RelayHarness(
      RelayTimeouts patience,
      Tracing tracing,
      Optional<TrustManagerFactory> authorities,
      Duration slotLimit) {
    this(KeyRing.generate(), patience, tracing, authorities, slotLimit);
  }

  private RelayHarness(
      KeyRing keys,
      RelayTimeouts patience,
      Tracing tracing,
      Optional<TrustManagerFactory> authorities,
      Duration slotLimit) {
    this.keys = keys;
    minter = new TokenMinter(() -> keys, issuer, Clock.systemUTC(), new AcceptedTokens());
    vertx = Vertx.vertx(new VertxOptions().setPreferNativeTransport(true));
    WireClient client =
        new WireClient(
            vertx,
            new SocketCheck(uid -> false),
            TestCertificates.ALL,
            authorities,
            (node, sandbox, generation) -> minter.peer(node, sandbox, generation).value(),
            slotLimit);
    boxdClient = new BoxdClient(vertx, client, minter);
    calls = new SandboxCalls(vertx, new Upstream(client, minter, targets), targets, streams);
    commands = new SandboxCommands(calls, OutputMemory.ofHeap(256 << 20));
    HostRule hosts =
        new HostRule(
            "127.0.0.1", Optional.empty(), Optional.empty(), List.of("https://app.example"));
    TokenVerifier verifier =
        new TokenVerifier(() -> keys, issuer, Clock.systemUTC(), new AcceptedTokens());
    PortPasses passes = new PortPasses(() -> keys, issuer, Clock.systemUTC(), new AcceptedTokens());
    Router router = Router.router(vertx);
    new RequestBounds().mount(router);
    new RequestTracing(tracing).mount(router);
    RelayAudit audit = new RelayAudit(audited::add, targets, Clock.systemUTC());
    new RelayAssembly(
            vertx,
            verifier,
            minter,
            passes,
            new PeerCheck(NODE, () -> keys, issuer, Clock.systemUTC()),
            targets,
            client,
            streams,
            registry,
            patience,
            audit)
        .routes(
            hosts,
            new PortOrigins("localhost", Optional.empty()),
            new Tickets(Jdbi.create(RelayHarness::noDatabase)),
            () -> keys)
        .mount(router);
    server =
        await(
            vertx
                .createHttpServer(
                    new HttpServerOptions()
                        .setHandle100ContinueAutomatically(true)
                        .setHttp2ClearTextEnabled(false)
                        .setMaxChunkSize(64 * 1024)
                        .setMaxHeaderSize(16 * 1024))
                .requestHandler(router)
                .listen(0, "127.0.0.1"));
  }

  private static Connection noDatabase() throws SQLException {
    throw new SQLException("there is no database here");
  }

  int port() {
    return server.actualPort();
  }

  void put(int generation, long minEpoch, DataplaneAddress address) {
    Transport transport =
        address instanceof Streams(Via.BehindPeer(SocketOpener server))
            ? peer(generation, new Streams(server))
            : Transport.of(address);
    targets.known.put(ID, new Target(ID, TENANT, generation, minEpoch, transport));
  }

  /** Another node, with the same keys, that alone reaches the sandbox. */
  private Transport peer(int generation, DataplaneAddress address) {
    RelayHarness other = peer == null ? new RelayHarness(this) : peer;
    peer = other;
    other.put(generation, 0, address);
    return new Transport.Peer(NODE, URI.create("http://127.0.0.1:" + other.port()));
  }

  String token(Capability... capabilities) {
    return token(1, 0, capabilities);
  }

  String token(int generation, long epoch, Capability... capabilities) {
    return minter
        .client(
            new ClientGrant(
                ID, generation, epoch, "user", null, "key_x", null, Set.of(capabilities)))
        .value();
  }

  String allToken() {
    return token(Capability.grantable().toArray(Capability[]::new));
  }

  URI uri(String path) {
    return URI.create("http://127.0.0.1:" + port() + "/dp/" + ID + path);
  }

  HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(uri(path)).header("Authorization", "Bearer " + allToken());
  }

  @Override
  public void close() {
    http.shutdownNow();
    if (peer != null) {
      peer.close();
    }
    await(vertx.close());
  }

  private static <T> T await(Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().join();
  }

  /** Sandboxes in a map; what is only in {@code stored} must be loaded first. */
  static final class MapTargets implements DataplaneTargets {

    final Map<SandboxId, Target> known = new ConcurrentHashMap<>();
    final Map<SandboxId, Target> stored = new ConcurrentHashMap<>();
    final AtomicInteger uses = new AtomicInteger();

    @Override
    public Optional<Target> find(SandboxId sandboxId) {
      return Optional.ofNullable(known.get(sandboxId));
    }

    @Override
    public Optional<Target> load(SandboxId sandboxId) {
      Target target = stored.get(sandboxId);
      if (target != null) {
        known.put(sandboxId, target);
      }
      return find(sandboxId);
    }

    @Override
    public void used(Target target) {
      uses.incrementAndGet();
    }
  }
}
