package dev.sandboxer.cli.dataplane;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.client.HttpClients;
import dev.sandboxer.cli.terminal.Interrupts;
import java.io.InputStream;
import java.net.URI;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs commands in a sandbox, streaming all three standard streams, with signals handed to the
 * command.
 */
public final class Commands {
  private static final Duration CONNECT = Duration.ofSeconds(10);

  private final HttpClients http;
  private final ObjectMapper json;
  private final Interrupts interrupts;

  public Commands(HttpClients http, ObjectMapper json, Interrupts interrupts) {
    this.http = http;
    this.json = json;
    this.interrupts = interrupts;
  }

  /**
   * Runs one command to its end.
   *
   * @param stdin forwarded with its end; null gives the command an empty one
   * @throws Failure when it could not be started or the connection broke
   * @throws InterruptedException when a third Ctrl-C would wait no longer for the command's end
   */
  public CommandEnd run(
      Dataplane dataplane,
      CommandRequest request,
      CommandOutput output,
      @Nullable InputStream stdin)
      throws InterruptedException {
    CommandSocket listener = new CommandSocket(json, output);
    WebSocket socket = connect(dataplane.access(), listener);
    FrameSender sender = new FrameSender(socket);
    try (Interrupts.Scope _ =
        interrupts.handTo(new SignalForwarder(sender, Thread.currentThread()))) {
      sender.text(request.frame().toString());
      await(listener.ready());
      sender.stdin(stdin);
      return await(listener.end());
    } finally {
      socket.abort();
    }
  }

  private WebSocket connect(Dataplane.Access access, CommandSocket listener)
      throws InterruptedException {
    return await(
        http.of(access.ws())
            .newWebSocketBuilder()
            .header("Authorization", "Bearer " + access.token())
            .subprotocols(CommandSocket.PROTOCOL)
            .connectTimeout(CONNECT)
            .buildAsync(URI.create(access.ws() + "/exec/ws"), listener)
            .exceptionallyCompose(refusal(access)));
  }

  private static Function<Throwable, CompletableFuture<WebSocket>> refusal(
      Dataplane.Access access) {
    return error -> CompletableFuture.failedFuture(Failure.sandboxer(reason(error, access), error));
  }

  private static String reason(Throwable error, Dataplane.Access access) {
    Throwable cause = error.getCause() == null ? error : error.getCause();
    return cause instanceof WebSocketHandshakeException handshake
        ? "the sandbox's dataplane answered "
            + handshake.getResponse().statusCode()
            + " at "
            + access
        : "the sandbox's dataplane cannot be reached at " + access + ": " + cause.getMessage();
  }

  private static <T> T await(CompletableFuture<T> future) throws InterruptedException {
    try {
      return future.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException told
          ? told
          : Failure.sandboxer(String.valueOf(e.getMessage()), e);
    }
  }
}
