package dev.sandboxer.e2e;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** A web server of this machine that has every name, for sandboxes with a network. */
final class Website implements AutoCloseable {

  private final NameServer names = new NameServer();
  private final HttpServer web;

  Website() throws IOException {
    web = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    web.createContext(
        "/",
        exchange -> {
          byte[] text = ("hello from " + exchange.getRequestURI()).getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, text.length);
          exchange.getResponseBody().write(text);
          exchange.close();
        });
    web.start();
  }

  int port() {
    return web.getAddress().getPort();
  }

  /** What a platform needs so that its sandboxes reach it. */
  Map<String, String> settings() {
    return Map.of(
        "SANDBOXER_EGRESS_ALLOW", "127.0.0.1", "SANDBOXER_EGRESS_DNS", "127.0.0.1:" + names.port());
  }

  @Override
  public void close() {
    web.stop(0);
    names.close();
  }
}
