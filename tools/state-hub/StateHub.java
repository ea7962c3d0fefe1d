import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A small State Hub for tests and demos: an append-only progress log in a file, and faults at the push of a button.
 *
 * <pre>
 * java tools/state-hub/StateHub.java PORT FILE     prints its address; port 0 takes a free one
 * POST /progress/      a JSON object; 201, stored with created_at and what the request said in Idempotency-Key
 * GET  /progress/      all of them, a JSON array, oldest first
 * GET  /open           how many POST /progress/ are not answered yet
 * POST /fault/MODE     how POST /progress/ behaves from now on: ok, 404, 409, 500, 429, 422, slow, garbage, close, silent
 * POST /fault/MODE/ID  the same for entries that name the sandbox ID; all others are taken
 * </pre>
 */
public final class StateHub {

  private static final int MAX_BODY = 1 << 20;

  private final Path store;
  private final ServerSocket listener;
  private final AtomicInteger open = new AtomicInteger();
  private volatile Fault fault = new Fault("ok", "");

  private StateHub(int port, Path store) throws IOException {
    this.store = store;
    this.listener = new ServerSocket(port, 1024, InetAddress.getLoopbackAddress());
  }

  public static void main(String[] arguments) throws IOException {
    if (arguments.length != 2) {
      System.err.println("usage: java StateHub.java PORT FILE");
      System.exit(2);
    }
    StateHub hub = new StateHub(Integer.parseInt(arguments[0]), Path.of(arguments[1]));
    System.out.println("http://127.0.0.1:" + hub.listener.getLocalPort());
    while (true) {
      Socket client = hub.listener.accept();
      Thread.startVirtualThread(() -> hub.serve(client));
    }
  }

  private record Fault(String mode, String about) {

    static Fault of(String words) {
      String[] both = words.split("/", 2);
      return new Fault(both[0], both.length == 1 ? "" : both[1]);
    }

    String of(Request request) {
      return request.body().contains(about) ? mode : "ok";
    }
  }

  private record Request(String method, String path, Map<String, String> headers, String body) {}

  private void serve(Socket client) {
    try (client) {
      InputStream in = new BufferedInputStream(client.getInputStream());
      for (Request request = read(in); request != null; request = read(in)) {
        if (!answer(request, in, client.getOutputStream())) {
          return;
        }
      }
    } catch (IOException | InterruptedException | IllegalArgumentException e) {
      // The client has gone, or speaks something else.
    }
  }

  private static Request read(InputStream in) throws IOException {
    String first = line(in);
    if (first == null) {
      return null;
    }
    Map<String, String> headers = new LinkedHashMap<>();
    for (String line = line(in); line != null && !line.isEmpty(); line = line(in)) {
      String[] parts = line.split(":", 2);
      headers.put(parts[0].toLowerCase(Locale.ROOT), parts[1].strip());
    }
    int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
    if (length > MAX_BODY) {
      throw new IllegalArgumentException("body of " + length + " bytes");
    }
    String[] words = first.split(" ");
    return new Request(words[0], words[1], headers, new String(in.readNBytes(length), StandardCharsets.UTF_8));
  }

  private static String line(InputStream in) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        return null;
      }
      bytes.write(next);
    }
    return bytes.toString(StandardCharsets.UTF_8).strip();
  }

  private boolean answer(Request request, InputStream in, OutputStream out) throws IOException, InterruptedException {
    String call = request.method() + " " + request.path();
    if (call.startsWith("POST /fault/")) {
      fault = Fault.of(request.path().substring("/fault/".length()));
      return reply(out, 200, "{\"fault\": \"" + fault.mode() + "\"}");
    }
    return switch (call) {
      case "GET /progress/" -> reply(out, 200, "[" + String.join(",\n", entries()) + "]");
      case "GET /open" -> reply(out, 200, "{\"open\": " + open.get() + "}");
      case "POST /progress/" -> counted(request, in, out);
      default -> reply(out, 404, "{\"detail\": \"not here\"}");
    };
  }

  private boolean counted(Request request, InputStream in, OutputStream out) throws IOException, InterruptedException {
    open.incrementAndGet();
    try {
      return progress(request, in, out);
    } finally {
      open.decrementAndGet();
    }
  }

  private boolean progress(Request request, InputStream in, OutputStream out) throws IOException, InterruptedException {
    String mode = fault.of(request);
    switch (mode) {
      case "404", "409", "500", "422" -> {
        return reply(out, Integer.parseInt(mode), "{\"detail\": \"fault\"}");
      }
      case "429" -> {
        return reply(out, 429, "{\"detail\": \"fault\"}", "Retry-After: 1");
      }
      case "garbage" -> {
        out.write("%PDF-1.7 this is no HTTP\r\n\r\n".getBytes(StandardCharsets.UTF_8));
        return false;
      }
      case "close" -> {
        return false;
      }
      case "silent" -> {
        in.read(); // until the client gives up
        return false;
      }
      case "slow" -> Thread.sleep(500);
      default -> {}
    }
    append(request);
    return reply(out, 201, "{\"created_at\": \"" + Instant.now() + "\"}");
  }

  private synchronized void append(Request request) throws IOException {
    String entry =
        "{\"created_at\": \"%s\", \"key\": \"%s\", \"authorization\": \"%s\", \"progress\": %s}%n"
            .formatted(
                Instant.now(),
                request.headers().getOrDefault("idempotency-key", ""),
                request.headers().getOrDefault("authorization", ""),
                request.body());
    Files.writeString(store, entry, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  private synchronized List<String> entries() throws IOException {
    return Files.exists(store) ? Files.readAllLines(store) : List.of();
  }

  private static boolean reply(OutputStream out, int status, String body, String... headers) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    StringBuilder head = new StringBuilder("HTTP/1.1 " + status + " x\r\nContent-Type: application/json\r\n");
    for (String header : headers) {
      head.append(header).append("\r\n");
    }
    head.append("Content-Length: ").append(bytes.length).append("\r\n\r\n");
    out.write(head.toString().getBytes(StandardCharsets.UTF_8));
    out.write(bytes);
    out.flush();
    return true;
  }
}
