package dev.sandboxer.cli.support;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ServerWebSocket;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * One command as the dataplane serves it: a process of this machine behind `sandboxer.v1.binary`
 * frames.
 */
final class StandInCommand {
  private static final int SIGNALLED = 128;

  private final Vertx vertx;
  private final ServerWebSocket socket;
  private final Path workspace;
  private final CountDownLatch started;
  private Process process;

  private StandInCommand(
      Vertx vertx, ServerWebSocket socket, Path workspace, CountDownLatch started) {
    this.vertx = vertx;
    this.socket = socket;
    this.workspace = workspace;
    this.started = started;
  }

  static void serve(Vertx vertx, ServerWebSocket socket, Path workspace, CountDownLatch started) {
    StandInCommand command = new StandInCommand(vertx, socket, workspace, started);
    socket.textMessageHandler(text -> command.take(new JsonObject(text)));
    socket.binaryMessageHandler(command::stdin);
    socket.closeHandler(closed -> command.end());
  }

  private void take(JsonObject frame) {
    try {
      switch (frame.getString("type")) {
        case "start" -> start(frame);
        case "stdin" -> closeStdin();
        case "signal" -> signal(frame.getString("name"));
        default -> throw new IllegalArgumentException(frame.encode());
      }
    } catch (IOException e) {
      var _ =
          socket.writeTextMessage(
              new JsonObject()
                  .put("type", "error")
                  .put("code", "NOT_FOUND")
                  .put("message", "not found")
                  .encode());
    }
  }

  private void start(JsonObject frame) throws IOException {
    List<String> words = frame.getJsonArray("command").stream().map(String::valueOf).toList();
    if (words.getFirst().equals("vanish")) {
      var _ =
          socket
              .writeTextMessage("{\"type\":\"ready\"}")
              .onSuccess(done -> socket.close((short) 1011));
      return;
    }
    ProcessBuilder builder = new ProcessBuilder(words).directory(workspace.toFile());
    frame
        .getJsonObject("env", new JsonObject())
        .forEach(
            entry -> builder.environment().put(entry.getKey(), String.valueOf(entry.getValue())));
    process = builder.start();
    var _ = socket.writeTextMessage("{\"type\":\"ready\",\"process_id\":\"p1\",\"pid\":2}");
    Thread out = Thread.startVirtualThread(() -> pump((byte) 1, process.getInputStream()));
    Thread err = Thread.startVirtualThread(() -> pump((byte) 2, process.getErrorStream()));
    Thread.startVirtualThread(() -> exit(out, err));
  }

  private void pump(byte channel, InputStream stream) {
    byte[] chunk = new byte[16 * 1024];
    try (stream) {
      for (int count = stream.read(chunk); count >= 0; count = stream.read(chunk)) {
        if (process.isAlive() || count > 0) {
          started.countDown();
        }
        send(Buffer.buffer().appendByte(channel).appendBytes(chunk, 0, count));
      }
    } catch (IOException e) {
      // the process is gone
    }
  }

  private void send(Buffer frame) {
    socket.writeBinaryMessage(frame).toCompletionStage().toCompletableFuture().join();
  }

  private void exit(Thread out, Thread err) {
    try {
      int status = process.waitFor();
      out.join();
      err.join();
      JsonObject exit =
          new JsonObject().put("type", "exit").put("duration_ms", 400).put("timed_out", false);
      exit.put("exit_code", status > SIGNALLED ? null : status);
      exit.put("signal", status > SIGNALLED ? String.valueOf(status - SIGNALLED) : null);
      var _ = socket.writeTextMessage(exit.encode());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void stdin(Buffer frame) {
    vertx.executeBlocking(
        () -> {
          OutputStream in = process.getOutputStream();
          in.write(frame.getBytes(1, frame.length()));
          in.flush();
          return null;
        });
  }

  private void closeStdin() {
    vertx.executeBlocking(
        () -> {
          process.getOutputStream().close();
          return null;
        });
  }

  private void signal(String name) throws IOException {
    new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid())).start();
  }

  private void end() {
    if (process != null) {
      process.destroyForcibly();
    }
  }
}
