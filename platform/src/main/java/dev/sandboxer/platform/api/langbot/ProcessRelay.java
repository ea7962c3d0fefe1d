package dev.sandboxer.platform.api.langbot;

import dev.sandboxer.platform.api.langbot.BoxError.Kind;
import dev.sandboxer.platform.api.langbot.MessageFrames.ProtocolException;
import dev.sandboxer.platform.dataplane.Answer;
import dev.sandboxer.platform.dataplane.ClientLine;
import dev.sandboxer.platform.dataplane.SandboxSocket;
import dev.sandboxer.platform.id.SandboxId;
import io.vertx.core.Context;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ServerWebSocket;
import io.vertx.core.http.WebSocketFrame;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Optional;
import java.util.Queue;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A client at a managed process: its messages are lines of the process's input, the process's
 * output comes as text in which no character is cut. Neither side gets more than it takes. Lives on
 * the event loop of the client's request.
 */
final class ProcessRelay implements SandboxSocket.Listener {

  /**
   * Of a text in one frame to boxd, whose limit is 1 MiB of JSON where the profile has no lower
   * one.
   */
  private static final int PIECE = 16 * 1024;

  private static final int NORMAL = 1000;
  private static final int POLICY = 1008;

  private final RoutingContext request;
  private final Context loop;
  private final SandboxId sandbox;
  private final String processId;
  private final Attached attached;
  private final Saver saver;
  private final MessageFrames frames = new MessageFrames();
  private final Queue<String> early = new ArrayDeque<>();
  private final BooleanSupplier stale;
  private @Nullable SandboxSocket boxd; // set before the event loop hears of it
  private @Nullable ServerWebSocket client;
  private @Nullable String endedEarly;
  private boolean ready;
  private boolean over;
  private long read;
  private long saved;

  /** Remembers how far the output was read. */
  interface Saver {

    void save(long offset);
  }

  ProcessRelay(
      RoutingContext request,
      Context loop,
      SandboxId sandbox,
      String processId,
      Attached attached,
      long from,
      Saver saver,
      BooleanSupplier stale) {
    this.stale = stale;
    this.request = request;
    this.loop = loop;
    this.sandbox = sandbox;
    this.processId = processId;
    this.attached = attached;
    this.read = from;
    this.saved = from;
    this.saver = saver;
  }

  @Override
  public void opening(SandboxSocket socket) {
    boxd = socket;
  }

  @Override
  public void frame(JsonObject frame) {
    if (over) {
      return;
    }
    switch (String.valueOf(frame.getValue("type"))) {
      case "ready" -> accept();
      case "stdout" -> output(frame);
      case "error" -> refused(frame);
      case "exit" -> ended(Optional.empty(), "the process has ended");
      default -> {
        // Such as "stderr", which the client does not get here.
      }
    }
  }

  /** boxd says that it is ready once this is the one who writes. */
  private void accept() {
    if (ready) {
      return;
    }
    ready = true;
    socket().pause();
    request
        .request()
        .toWebSocket()
        .onSuccess(this::joined)
        .onFailure(
            failure -> {
              over = true;
              socket().close();
            });
  }

  private void joined(ServerWebSocket socket) {
    client = socket;
    ClientLine line = new ClientLine(request.request().connection());
    line.takenOver();
    var _ = attached.add(sandbox, processId);
    socket.closeHandler(closed -> clientGone());
    socket.exceptionHandler(failure -> {});
    socket.frameHandler(this::line);
    KeepAlive.of(loop.owner(), socket, line, this::watch);
    while (!early.isEmpty()) {
      var _ = socket.writeTextMessage(early.remove());
    }
    if (endedEarly != null) {
      close(NORMAL, endedEarly);
    } else {
      socket().resume();
    }
  }

  private void output(JsonObject frame) {
    if (!(frame.getValue("data") instanceof String data)) {
      return;
    }
    byte[] bytes = bytes(frame, data);
    String text = new String(bytes, StandardCharsets.UTF_8);
    read =
        frame.getValue("offset") instanceof Number offset
            ? offset.longValue() + bytes.length
            : read + bytes.length;
    attached.reads(sandbox, processId, read);
    ServerWebSocket open = client;
    if (open == null) {
      early.add(text);
      return;
    }
    var _ = open.writeTextMessage(text);
    if (open.writeQueueFull()) {
      socket().pause();
      open.drainHandler(drained -> socket().resume());
    }
  }

  private static byte[] bytes(JsonObject frame, String data) {
    try {
      return "base64".equals(frame.getValue("encoding"))
          ? Base64.getDecoder().decode(data)
          : data.getBytes(StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return new byte[0];
    }
  }

  private void refused(JsonObject frame) {
    if (client == null && !ready) {
      over = true;
      socket().close();
      ProcessDoor.refuse(request, refusal(String.valueOf(frame.getValue("message"))));
    }
  }

  private BoxError refusal(String message) {
    return new BoxError(
        Kind.PROCESS_CONFLICT,
        "managed process %s is attached already: %.300s".formatted(processId, message));
  }

  private void line(WebSocketFrame frame) {
    if (over) {
      return;
    }
    try {
      frames.add(frame).ifPresent(this::write);
    } catch (ProtocolException e) {
      close(e.status(), String.valueOf(e.getMessage()));
    }
  }

  private void write(Buffer message) {
    String text = message.toString(StandardCharsets.UTF_8) + "\n";
    int from = 0;
    while (from < text.length()) {
      int to = Math.min(text.length(), from + PIECE);
      if (to < text.length() && Character.isHighSurrogate(text.charAt(to - 1))) {
        to--;
      }
      socket().send(new JsonObject().put("type", "stdin").put("data", text.substring(from, to)));
      from = to;
    }
    ServerWebSocket open = client;
    if (open != null && socket().writeQueueFull()) {
      open.pause();
      socket().drained(open::resume);
    }
  }

  @Override
  public void ended(Optional<Answer> refusal, String reason) {
    if (over) {
      return;
    }
    if (client != null) {
      close(NORMAL, reason);
    } else if (ready) {
      endedEarly = reason;
    } else {
      over = true;
      ProcessDoor.refuse(
          request,
          refusal
              .map(answer -> Failures.of(answer.refusal(sandbox)))
              .orElseGet(() -> new BoxError(Kind.BACKEND_UNAVAILABLE, reason)));
    }
  }

  /** A placement that has moved on takes its processes with it. */
  private void watch() {
    save();
    Thread.ofVirtual()
        .name("langbot-placement")
        .start(
            () -> {
              if (stale.getAsBoolean()) {
                loop.runOnContext(on -> close(POLICY, "a newer placement has taken over"));
              }
            });
  }

  private void save() {
    if (read > saved) {
      saved = read;
      saver.save(read);
    }
  }

  private void close(int status, String reason) {
    if (!over && client != null) {
      leave();
      var _ = client.close((short) status, reason);
    }
  }

  private void clientGone() {
    if (!over) {
      leave();
    }
  }

  private void leave() {
    over = true;
    save();
    attached.remove(sandbox, processId);
    socket().close();
  }

  private SandboxSocket socket() {
    SandboxSocket socket = boxd;
    if (socket == null) {
      throw new IllegalStateException("frames came before the socket was known");
    }
    return socket;
  }
}
