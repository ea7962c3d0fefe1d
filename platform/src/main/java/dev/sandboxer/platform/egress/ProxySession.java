package dev.sandboxer.platform.egress;

import dev.sandboxer.platform.address.HostName;
import dev.sandboxer.platform.dataplane.wire.WireStream;
import dev.sandboxer.platform.egress.Handshake.MalformedException;
import dev.sandboxer.platform.egress.Handshake.Step;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetSocket;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One connection of a program, through the proxy to a host. Lives on one event loop. */
final class ProxySession {

  /** Fatal, unrecognized_name (RFC 8446, section 6). */
  private static final byte[] ALERT = {21, 3, 3, 0, 2, 2, 112};

  private static final long HELLO_MILLIS = 10_000;

  private final WireStream inside;
  private final WayOut out;
  private final Handshake handshake;
  private @Nullable Connection host;
  private @Nullable ServerName serverName; // while it is not known
  private @Nullable Interceptor interceptor;
  private @Nullable Runnable helloLimit; // ends it
  private @Nullable Runnable lifeLimit; // ends it
  private boolean calling;
  private boolean answered; // by the host
  private boolean hostGone;
  private boolean over;
  private long movedAtNanos = System.nanoTime();

  /** Begins with the first bytes that the program has sent; the stream is paused. */
  ProxySession(WireStream inside, WayOut out, Buffer first) {
    this.inside = inside;
    this.out = out;
    this.handshake =
        first.getByte(0) == SocksHandshake.VERSION ? new SocksHandshake() : new HttpHandshake();
  }

  private record Connection(NetSocket socket, HostName name, int port, Traffic.Counts counts) {

    boolean isNamed(String other) {
      return HostName.parse(other).filter(name::equals).isPresent();
    }
  }

  void begin(Buffer first) {
    lifeLimit = out.after(out.longestMillis(), this::cut);
    inside.handler(this::said);
    inside.exceptionHandler(_ -> cut());
    inside.endHandler(_ -> insideEnded());
    said(first);
    if (!calling && !over) {
      inside.resume();
    }
  }

  private void said(Buffer data) {
    if (over) {
      return;
    }
    movedAtNanos = System.nanoTime();
    Connection to = host;
    try {
      if (to != null) {
        outwards(to, data);
      } else if (!calling) {
        next(handshake.feed(data));
      } else {
        cut(); // it was held back until it is connected
      }
    } catch (MalformedException e) {
      if (answered) {
        cut(); // a refusal would be read as a part of the answer
      } else {
        refuse(new Refusal(Refusal.Kind.MALFORMED, e.reason()));
      }
    }
  }

  private void next(Step step) {
    switch (step) {
      case Step.More(Buffer answer) -> {
        if (answer.length() > 0) {
          inside.write(answer);
        }
      }
      case Step.Wanted(String name, int port) -> {
        calling = true;
        inside.pause();
        Optional<HostName> wanted = HostName.parse(name);
        if (wanted.isPresent()) {
          call(wanted.get(), port);
        } else {
          refuse(new Refusal(Refusal.Kind.MALFORMED, "'%.100s' is no host name".formatted(name)));
        }
      }
    }
  }

  private void call(HostName wanted, int port) {
    if (!out.rules().allows(wanted, port)) {
      denied(
          wanted,
          port,
          new Refusal(
              Refusal.Kind.FORBIDDEN,
              "%s:%d is not allowed: %s"
                  .formatted(wanted.text(), port, out.rules().refusal(wanted, port))));
      return;
    }
    Optional<String> method = handshake.method().filter(one -> !allows(wanted, port, one));
    if (method.isPresent()) {
      denied(
          wanted,
          port,
          new Refusal(Refusal.Kind.FORBIDDEN, out.rules().refusal(wanted, port, method.get())));
      return;
    }
    out.dial(
        wanted,
        port,
        new Dialer.Outcome(
            socket -> connected(socket, wanted, port),
            refusal -> {
              if (refusal.kind() == Refusal.Kind.FORBIDDEN) {
                denied(wanted, port, refusal);
              } else {
                refuse(refusal);
              }
            }));
  }

  private boolean allows(HostName wanted, int port, String method) {
    return out.rules().methods(wanted, port).map(all -> all.contains(method)).orElse(true);
  }

  private void denied(HostName wanted, int port, Refusal refusal) {
    if (!over) {
      out.denied(wanted, port, refusal.message());
    }
    refuse(refusal);
  }

  private void connected(NetSocket socket, HostName wanted, int port) {
    if (over) {
      var _ = socket.close();
      return;
    }
    Connection to = new Connection(socket, wanted, port, out.connected(wanted, port));
    host = to;
    if (handshake.tunnel()
        && (!out.rules().allowsOtherName(wanted)
            || out.interception().covers(wanted, port, true))) {
      serverName = new ServerName();
    }
    socket.handler(data -> inwards(to, data));
    socket.exceptionHandler(_ -> {});
    socket.endHandler(_ -> hostGone());
    Buffer opened = handshake.opened();
    if (opened.length() > 0) {
      inside.write(opened);
    }
    said(Buffer.buffer());
    flow();
  }

  private void outwards(Connection to, Buffer data) throws MalformedException {
    Buffer sent = handshake.outwards(data);
    ServerName name = serverName;
    Interceptor by = interceptor;
    if (by != null) {
      by.fromProgram(sent);
    } else if (name != null) {
      named(to, name, sent);
    } else if (sent.length() > 0) {
      pass(to, sent);
    }
  }

  /** Nothing reaches a host before it is known that TLS names no other. */
  private void named(Connection to, ServerName name, Buffer data) {
    try {
      if (!name.feed(data)) {
        limitHello(name);
        return;
      }
    } catch (MalformedException e) {
      cut();
      return;
    }
    serverName = null;
    end(helloLimit);
    boolean intercepted = out.interception().covers(to.name(), to.port(), name.tls());
    Optional<String> other = name.name().filter(one -> !to.isNamed(one));
    if (other.isPresent() && (intercepted || !out.rules().allowsOtherName(to.name()))) {
      refuseName(to, other.get());
    } else if (intercepted) {
      Interceptor by = out.interception().open(to.name(), to.port(), name.tls(), new Ends(to));
      interceptor = by;
      by.begin();
      by.fromProgram(name.held());
    } else {
      pass(to, name.held());
    }
  }

  private void limitHello(ServerName name) {
    if (helloLimit == null && name.held().length() > 0) {
      helloLimit = out.after(HELLO_MILLIS, this::cut);
    }
  }

  private static void end(@Nullable Runnable limit) {
    if (limit != null) {
      limit.run();
    }
  }

  private void refuseName(Connection to, String other) {
    out.denied(
        HostName.parse(other).orElse(to.name()),
        to.port(),
        "a connection to %s:%d was allowed, and TLS names the server '%.100s'"
            .formatted(to.name().text(), to.port(), other));
    inside.write(Buffer.buffer(ALERT));
    hostEnded();
  }

  private void pass(Connection to, Buffer sent) {
    if (over || hostGone) {
      return;
    }
    to.counts().sent(sent.length());
    var _ = to.socket().write(sent);
    flow();
  }

  /** Each side comes as long as the other takes. */
  private void flow() {
    Connection to = host;
    if (over || to == null) {
      return;
    }
    Interceptor by = interceptor;
    boolean full = !hostGone && to.socket().writeQueueFull(); // once closed it always is
    if (full) {
      to.socket().drainHandler(_ -> flow());
    }
    if (full || (by != null && by.holds())) {
      inside.pause();
    } else {
      inside.resume();
    }
    if (inside.writeQueueFull()) {
      to.socket().pause();
      inside.drainHandler(_ -> flow());
    } else {
      to.socket().resume();
    }
  }

  private void inwards(Connection from, Buffer data) {
    movedAtNanos = System.nanoTime();
    answered = true;
    from.counts().received(data.length());
    Interceptor by = interceptor;
    if (by != null) {
      by.fromHost(data);
    } else if (serverName != null && out.interception().limits(from.name(), from.port())) {
      cut(); // a host that speaks first does not speak HTTP
    } else {
      heard(handshake.inwards(data));
    }
  }

  private void heard(Buffer data) {
    if (data.length() > 0) {
      inside.write(data);
    }
    flow();
  }

  private void hostGone() {
    hostGone = true;
    Interceptor by = interceptor;
    if (by != null) {
      by.hostEnded();
    } else {
      hostEnded();
    }
  }

  /** What the program hears is the last word; boxd ends the program's side with the stream. */
  private void refuse(Refusal refusal) {
    if (!over) {
      if (host == null && refusal.kind() != Refusal.Kind.FORBIDDEN) {
        out.notConnected();
      }
      inside.write(handshake.refused(refusal));
      hostEnded();
    }
  }

  private void hostEnded() {
    if (end()) {
      inside.close();
    }
  }

  private void insideEnded() {
    end();
  }

  /** Ends both sides at once. Repeatable. */
  void cut() {
    end();
    inside.cut();
  }

  /** Whether nothing has moved since then. */
  boolean idleSince(long nanos) {
    return movedAtNanos - nanos < 0;
  }

  private boolean end() {
    if (over) {
      return false;
    }
    over = true;
    end(helloLimit);
    end(lifeLimit);
    Connection open = host;
    if (open != null) {
      var _ = open.socket().close();
    }
    out.ended(this);
    return true;
  }

  /** What an interceptor of the connection does with it. */
  private final class Ends implements Interceptor.Link {

    private final Connection to;

    private Ends(Connection to) {
      this.to = to;
    }

    @Override
    public void toProgram(Buffer bytes) {
      if (!over) {
        inside.write(bytes);
      }
    }

    @Override
    public void toHost(Buffer bytes) {
      pass(to, bytes);
    }

    @Override
    public void flow() {
      ProxySession.this.flow();
    }

    @Override
    public void denied(HostName wanted, String reason) {
      out.denied(wanted, to.port(), reason);
    }

    @Override
    public void end() {
      hostEnded();
    }

    @Override
    public void cut() {
      ProxySession.this.cut();
    }

    @Override
    public Runnable after(long millis, Runnable task) {
      return out.after(millis, task);
    }

    @Override
    public void run(Runnable task) {
      out.run(task);
    }
  }
}
