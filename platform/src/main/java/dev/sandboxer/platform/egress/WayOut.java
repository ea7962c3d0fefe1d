package dev.sandboxer.platform.egress;

import dev.sandboxer.platform.address.HostName;
import dev.sandboxer.platform.dataplane.wire.Endpoint;
import dev.sandboxer.platform.dataplane.wire.WireClient;
import dev.sandboxer.platform.dataplane.wire.WireException;
import dev.sandboxer.platform.egress.EgressProxy.Denials;
import dev.sandboxer.platform.egress.EgressProxy.EgressException;
import dev.sandboxer.platform.token.Capability;
import dev.sandboxer.platform.token.TokenMinter;
import io.vertx.core.Vertx;
import io.vertx.core.impl.ContextInternal;
import io.vertx.core.impl.VertxInternal;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;

/**
 * The way out of one sandbox. A few streams to its boxd wait, each for one program; as soon as one
 * is used, another is opened. Lives on one event loop.
 */
public final class WayOut implements AutoCloseable {

  private static final int WAITING = 4;
  private static final long RETRY_MILLIS = 500;
  private static final long LOOK_MILLIS = 30_000;
  private static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(10);

  private final ContextInternal loop;
  private final WireClient client;
  private final TokenMinter minter;
  private final Dialer dialer;
  private final Endpoint boxd;
  private final EgressRules rules;
  private final Denials denials;
  private final int port;
  private final Resolver resolver;
  private final CompletableFuture<Void> ready = new CompletableFuture<>();
  private final Set<WaitingStream> waiting = new HashSet<>();
  private final Set<ProxySession> sessions = new HashSet<>();
  private final LongAdder sent = new LongAdder();
  private final LongAdder received = new LongAdder();
  private String lastFailure = "it does not answer";
  private boolean closed;
  private boolean retrying;
  private long idleTimer;

  WayOut(
      Vertx vertx,
      WireClient client,
      TokenMinter minter,
      Dialer dialer,
      Endpoint boxd,
      EgressRules rules,
      Denials denials,
      int port) {
    this.loop = ((VertxInternal) vertx).createEventLoopContext();
    this.client = client;
    this.minter = minter;
    this.dialer = dialer;
    this.boxd = boxd;
    this.rules = rules;
    this.denials = denials;
    this.port = port;
    this.resolver = new Resolver(loop.nettyEventLoop());
  }

  void begin(Duration limit) throws EgressException, InterruptedException {
    loop.runOnContext(
        _ -> {
          idleTimer = loop.owner().setPeriodic(LOOK_MILLIS, _ -> cutIdle());
          fill();
        });
    try {
      ready.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      close();
      throw new EgressException("boxd gives no way out: " + lastFailure);
    } catch (InterruptedException e) {
      close();
      throw e;
    }
  }

  EgressRules rules() {
    return rules;
  }

  Endpoint boxd() {
    return boxd;
  }

  WireClient client() {
    return client;
  }

  String path() {
    return "/v1/control/egress?port=" + port;
  }

  String token() {
    return minter.relay(boxd.sandboxId(), boxd.generation(), Capability.ADMIN).value();
  }

  void dial(HostName host, int hostPort, Dialer.Outcome outcome) {
    dialer.dial(resolver, host, hostPort, outcome);
  }

  void denied(HostName host, int hostPort, String reason) {
    denials.denied(host.text(), hostPort, reason);
  }

  void sent(int bytes) {
    sent.add(bytes);
  }

  void received(int bytes) {
    received.add(bytes);
  }

  /**
   * What programs have sent to hosts so far.
   *
   * @return in bytes
   */
  public long sentBytes() {
    return sent.sum();
  }

  /**
   * What hosts have sent to programs so far.
   *
   * @return in bytes
   */
  public long receivedBytes() {
    return received.sum();
  }

  private void fill() {
    while (!closed && !retrying && waiting.size() < WAITING) {
      WaitingStream stream = new WaitingStream(this);
      waiting.add(stream);
      stream.begin();
    }
  }

  /** A stream waits in boxd. */
  void opened() {
    ready.complete(null);
  }

  /** A program uses a stream. */
  void used(WaitingStream stream, ProxySession session) {
    waiting.remove(stream);
    sessions.add(session);
    fill();
  }

  /** A stream is of no use, or boxd has closed it. */
  void failed(WaitingStream stream, WireException cause) {
    lastFailure = cause.reason();
    if (waiting.remove(stream) && !closed && !retrying) {
      retrying = true;
      loop.owner()
          .setTimer(
              RETRY_MILLIS,
              _ -> {
                retrying = false;
                fill();
              });
    }
  }

  void ended(ProxySession session) {
    sessions.remove(session);
  }

  private void cutIdle() {
    long then = System.nanoTime() - IDLE_NANOS;
    List.copyOf(sessions).stream().filter(one -> one.idleSince(then)).forEach(ProxySession::cut);
  }

  /** Cuts every connection. Repeatable. */
  @Override
  public void close() {
    loop.runOnContext(
        _ -> {
          if (closed) {
            return;
          }
          closed = true;
          loop.owner().cancelTimer(idleTimer);
          List.copyOf(waiting).forEach(WaitingStream::cut);
          List.copyOf(sessions).forEach(ProxySession::cut);
          resolver.close();
        });
  }
}
