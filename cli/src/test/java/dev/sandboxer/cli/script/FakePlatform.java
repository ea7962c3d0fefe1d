package dev.sandboxer.cli.script;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Starts like the platform as far as the script sees it: locks the home by its pid file, listens,
 * writes its URL, gets ready.
 */
public final class FakePlatform {
  private static final int NOT_READY_AT_FIRST = 2;

  private FakePlatform() {}

  public static void main(String[] arguments) throws IOException {
    String fault = System.getenv("FAKE_FAULT");
    if (fault != null) {
      System.err.println(fault);
      System.exit(1);
    }
    String log = System.getenv("FAKE_LOG");
    if (log != null) {
      System.out.println(log);
    }
    Path home = Path.of(System.getenv("SANDBOXER_HOME"));
    if (arguments.length > 0) {
      System.out.println("command " + arguments[0]);
      return;
    }
    String stat = Files.readString(Path.of("/proc/self/stat"));
    String ticks = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1)[19];
    Files.writeString(
        home.resolve("run/platform.pid"), ProcessHandle.current().pid() + " " + ticks + "\n");
    String listen = System.getenv("SANDBOXER_LISTEN");
    int port = Integer.parseInt(listen.substring(listen.indexOf(':') + 1));
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    AtomicInteger asked = new AtomicInteger();
    server.createContext(
        "/v1/health/ready",
        exchange ->
            answer(exchange, asked.incrementAndGet() > NOT_READY_AT_FIRST ? 200 : 503, "{}"));
    server.createContext(
        "/v1/sandboxes",
        exchange -> answer(exchange, 200, "{\"items\":[{\"id\":\"sb_a\",\"state\":\"ready\"}]}"));
    server.start();
    Files.writeString(
        home.resolve("url"), "http://127.0.0.1:" + server.getAddress().getPort() + "\n");
  }

  private static void answer(com.sun.net.httpserver.HttpExchange exchange, int status, String body)
      throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }
}
