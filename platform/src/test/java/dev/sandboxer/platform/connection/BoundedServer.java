package dev.sandboxer.platform.connection;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A listener as the platform's: {@code /refused} answers 403 and reads no body, {@code /read} reads
 * the body, {@code /held} is answered by {@link #answerHeld}, after its body was read.
 */
final class BoundedServer implements AutoCloseable {

  private static final int PATIENCE_MILLIS = 60_000;

  private final Vertx vertx;
  private final HttpServer server;
  private final List<Socket> clients = new ArrayList<>();
  private final List<HttpServerRequest> held = new ArrayList<>();

  BoundedServer() {
    vertx = Vertx.vertx(new VertxOptions().setPreferNativeTransport(true));
    Router router = Router.router(vertx);
    new RequestBounds().mount(router);
    router.route().handler(context -> serve(context.request()));
    server =
        await(
            vertx
                .createHttpServer(new HttpServerOptions().setHttp2ClearTextEnabled(false))
                .requestHandler(router)
                .listen(0, "127.0.0.1"));
  }

  private void serve(HttpServerRequest request) {
    request.pause();
    switch (request.uri()) {
      case "/refused" -> request.response().setStatusCode(403).end("no");
      case "/held" -> {
        ClientConnection.of(request.connection()).bodyFlows();
        request.body().onSuccess(all -> hold(request));
        request.resume();
      }
      default -> {
        ClientConnection.of(request.connection()).bodyFlows();
        request.body().onSuccess(all -> request.response().end(all.length() + " bytes"));
        request.resume();
      }
    }
  }

  private void hold(HttpServerRequest request) {
    ClientConnection.of(request.connection()).bodyRead();
    synchronized (held) {
      held.add(request);
    }
  }

  void answerHeld() {
    synchronized (held) {
      held.forEach(request -> request.response().end("late"));
      held.clear();
    }
  }

  /** A client that has sent this much. */
  Socket client(String sent) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.actualPort());
    socket.setSoTimeout(PATIENCE_MILLIS);
    clients.add(socket);
    send(socket, sent);
    return socket;
  }

  static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** What comes until the other side ends it. */
  static String rest(Socket socket) throws IOException {
    return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
  }

  /** What comes up to and with the given end. */
  static String until(Socket socket, String end) throws IOException {
    InputStream in = socket.getInputStream();
    StringBuilder text = new StringBuilder();
    while (text.indexOf(end) < 0) {
      int next = in.read();
      if (next < 0) {
        throw new IOException("it ended after: " + text);
      }
      text.append((char) next);
    }
    return text.toString();
  }

  @Override
  public void close() throws IOException {
    for (Socket client : clients) {
      client.close();
    }
    await(vertx.close());
  }

  private static <T> T await(Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().join();
  }
}
