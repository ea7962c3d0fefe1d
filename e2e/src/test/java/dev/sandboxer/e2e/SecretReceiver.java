package dev.sandboxer.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.sandboxer.testing.client.Api;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The hosts {@code api.example} and {@code other.example}, which note the headers they get. */
final class SecretReceiver implements AutoCloseable {

  private static final String ASK =
      """
      import os, sys, urllib.error, urllib.request
      for method in sys.argv[2:]:
          request = urllib.request.Request(sys.argv[1], method=method)
          request.add_header("X-Key", "key=" + os.environ.get("OUTSIDE", ""))
          request.add_header("Authorization", "mine")
          try:
              print(urllib.request.urlopen(request, timeout=30).read().decode())
          except urllib.error.HTTPError as e:
              print(e.code, e.read().decode())
      """;

  private final Queue<String> seen = new ConcurrentLinkedQueue<>();
  private final Authority authority = Authority.make("ours");
  private final NameServer names;
  private final HttpsServer web;

  SecretReceiver() throws IOException {
    names = new NameServer();
    web = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    web.setHttpsConfigurator(
        new HttpsConfigurator(authority.server("dns:api.example,dns:other.example")));
    web.createContext(
        "/",
        exchange -> {
          seen.add(
              "%s %s %s %s"
                  .formatted(
                      exchange.getRequestMethod(),
                      exchange.getRequestHeaders().getFirst("Host").replaceFirst(":.*", ""),
                      exchange.getRequestHeaders().getFirst("Authorization"),
                      exchange.getRequestHeaders().getFirst("X-Key")));
          exchange.sendResponseHeaders(200, 2);
          exchange.getResponseBody().write("ok".getBytes(UTF_8));
          exchange.close();
        });
    web.start();
  }

  int port() {
    return web.getAddress().getPort();
  }

  /** Method, host, {@code Authorization} and {@code X-Key} of each request. */
  Queue<String> seen() {
    return seen;
  }

  /** What a platform needs so that its sandboxes reach these hosts. */
  Map<String, String> settings() {
    return Map.of(
        "SANDBOXER_EGRESS_ALLOW",
        "127.0.0.1",
        "SANDBOXER_EGRESS_DNS",
        "127.0.0.1:" + names.port(),
        "SANDBOXER_EGRESS_CA",
        authority.certificate().toString());
  }

  /** Runs a program inside that asks a host, and gives what it prints. */
  Api.Reply ask(Api api, String sandbox, String host, String... methods) {
    List<String> command = new ArrayList<>(List.of("python3", "-c", ASK));
    command.add("https://%s:%d/".formatted(host, port()));
    command.addAll(List.of(methods));
    return api.access(sandbox).exec(command.toArray(String[]::new));
  }

  @Override
  public void close() {
    web.stop(0);
    names.close();
    authority.close();
  }
}
