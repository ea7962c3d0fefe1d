package dev.sandboxer.platform.egress;

import dev.sandboxer.platform.address.HostName;
import dev.sandboxer.platform.dataplane.wire.Endpoint;
import dev.sandboxer.platform.dataplane.wire.Exchange;
import dev.sandboxer.platform.dataplane.wire.ReplyHandler;
import dev.sandboxer.platform.dataplane.wire.RequestHead;
import dev.sandboxer.platform.dataplane.wire.WireClient;
import dev.sandboxer.platform.dataplane.wire.WireException;
import dev.sandboxer.platform.egress.EgressProxy.Denials;
import dev.sandboxer.platform.egress.EgressProxy.EgressException;
import dev.sandboxer.platform.token.Capability;
import dev.sandboxer.platform.token.TokenMinter;
import io.vertx.core.Handler;
import io.vertx.core.impl.ContextInternal;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The way out of one sandbox. A few streams to its boxd wait, each for one program; soon after one
 * is used, another is opened. Lives on one event loop.
 */
public final class WayOut implements AutoCloseable {

  private static final int WAITING = 4;
  private static final long RETRY_MILLIS = 500;

  /** Opening a stream takes as long as calling a host, which a program waits for. */
  private static final long FILL_MILLIS = 5;

  private static final long LOOK_MILLIS = 30_000;
  private static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(10);

  private final ContextInternal loop;
  private final Boxd boxd;
  private final Calls calls;
  private final EgressRules rules;
  private final Interception interception;
  private final Duration longest;
  private final Denials denials;
  private final Traffic traffic;
  private final CompletableFuture<Void> ready = new CompletableFuture<>();
  private final Set<WaitingStream> waiting = new HashSet<>();
  private final Set<ProxySession> sessions = new HashSet<>();
  private String lastFailure = "it does not answer";
  private boolean closed;
  private boolean retrying;
  private boolean filling;
  private long idleTimer;

  WayOut(
      ContextInternal loop,
      Boxd boxd,
      Calls calls,
      EgressRules rules,
      Interception interception,
      Duration longest,
      Denials denials,
      Traffic traffic) {
    this.loop = loop;
    this.boxd = boxd;
    this.calls = calls;
    this.rules = rules;
    this.interception = interception;
    this.longest = longest;
    this.denials = denials;
    this.traffic = traffic;
  }

  /** How streams to a boxd are opened. */
  record Boxd(WireClient client, TokenMinter minter, Endpoint endpoint, int port) {

    void open(ReplyHandler reply, Handler<Exchange> opened, Handler<WireException> failed)
        throws WireException {
      String token =
          minter.relay(endpoint.sandboxId(), endpoint.generation(), Capability.ADMIN).value();
      RequestHead head =
          new RequestHead("POST", "/v1/control/egress?port=" + port)
              .header("Authorization", "Bearer " + token)
              .upgrade(WaitingStream.PROTOCOL);
      client.begin(endpoint, head, reply, opened, failed);
    }
  }

  /** How hosts are called. */
  @FunctionalInterface
  interface Calls {
    void dial(HostName host, int port, Dialer.Outcome outcome);
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

  Interception interception() {
    return interception;
  }

  Boxd boxd() {
    return boxd;
  }

  void dial(HostName host, int hostPort, Dialer.Outcome outcome) {
    calls.dial(host, hostPort, outcome);
  }

  void denied(HostName host, int hostPort, String reason) {
    traffic.denied(host.text(), hostPort);
    denials.denied(host.text(), hostPort, reason);
  }

  Traffic.Counts connected(HostName host, int hostPort) {
    return traffic.connected(host.text(), hostPort);
  }

  void notConnected() {
    traffic.failed();
  }

  /**
   * What programs have moved so far.
   *
   * @return by host
   */
  public EgressFigures figures() {
    return traffic.now();
  }

  /** How long a connection may last. */
  long longestMillis() {
    return longest.toMillis();
  }

  /** Runs something later, unless the returned is run before. */
  Runnable after(long millis, Runnable task) {
    long timer = loop.setTimer(millis, _ -> task.run());
    return () -> loop.owner().cancelTimer(timer);
  }

  /** Runs something on the event loop. */
  void run(Runnable task) {
    loop.runOnContext(_ -> task.run());
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
    if (waiting.isEmpty()) {
      fill();
    } else if (!filling) {
      filling = true;
      var _ =
          after(
              FILL_MILLIS,
              () -> {
                filling = false;
                fill();
              });
    }
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
        });
  }
}
