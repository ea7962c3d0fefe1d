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

  private final WireStream inside;
  private final WayOut out;
  private final Handshake handshake;
  private @Nullable Connection host;
  private boolean calling;
  private boolean answered; // by the host
  private boolean over;
  private long movedAtNanos = System.nanoTime();

  /** Begins with the first bytes that the program has sent; the stream is paused. */
  ProxySession(WireStream inside, WayOut out, Buffer first) {
    this.inside = inside;
    this.out = out;
    this.handshake =
        first.getByte(0) == SocksHandshake.VERSION ? new SocksHandshake() : new HttpHandshake();
  }

  private record Connection(NetSocket socket, Traffic.Counts counts) {}

  void begin(Buffer first) {
    inside.handler(this::said);
    inside.exceptionHandler(_ -> cut());
    inside.endHandler(_ -> insideEnded());
    said(first);
    if (!calling && !over) {
      inside.resume();
    }
  }

  private void said(Buffer data) {
    movedAtNanos = System.nanoTime();
    Connection to = host;
    try {
      if (to != null) {
        outwards(to, data);
      } else if (!over && !calling) {
        next(handshake.feed(data));
      } else if (!over) {
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
    Connection to = new Connection(socket, out.connected(wanted, port));
    host = to;
    socket.handler(data -> inwards(to, data));
    socket.exceptionHandler(_ -> {});
    socket.endHandler(_ -> hostEnded());
    Buffer opened = handshake.opened();
    if (opened.length() > 0) {
      inside.write(opened);
    }
    said(Buffer.buffer());
    if (!over) {
      inside.resume();
    }
  }

  private void outwards(Connection to, Buffer data) throws MalformedException {
    Buffer sent = handshake.outwards(data);
    if (sent.length() == 0) {
      return;
    }
    to.counts().sent(sent.length());
    var _ = to.socket().write(sent);
    if (to.socket().writeQueueFull()) {
      inside.pause();
      to.socket().drainHandler(_ -> inside.resume());
    }
  }

  private void inwards(Connection from, Buffer data) {
    movedAtNanos = System.nanoTime();
    answered = true;
    from.counts().received(data.length());
    Buffer heard = handshake.inwards(data);
    if (heard.length() > 0) {
      inside.write(heard);
    }
    if (inside.writeQueueFull()) {
      from.socket().pause();
      inside.drainHandler(_ -> from.socket().resume());
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
    Connection open = host;
    if (open != null) {
      var _ = open.socket().close();
    }
    out.ended(this);
    return true;
  }
}
