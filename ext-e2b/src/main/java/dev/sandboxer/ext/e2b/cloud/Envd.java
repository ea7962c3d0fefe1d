package dev.sandboxer.ext.e2b.cloud;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.DataplaneAddress.HttpsBase;
import dev.sandboxer.spi.DataplaneAddress.Trust;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * E2B's daemon in a sandbox, and the edge before it. What it answers comes from where hostile code
 * runs. Failures have outcome UNKNOWN: the caller knows the sandbox.
 */
public final class Envd {

  /** Who owns what the sandbox's code must not write. */
  public static final String ROOT = "root";

  private static final int PORT = 49983;
  private static final int BAD_GATEWAY = 502;
  private static final Duration LONG = Duration.ofMinutes(2);
  private static final Duration SHORT = Duration.ofSeconds(20);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Wire wire;

  Envd(Wire wire) {
    this.wire = wire;
  }

  /** What the edge says of a port. */
  public enum Port {
    /** Something answers there. */
    OPEN,
    /** The sandbox or the port is not there. */
    CLOSED
  }

  /**
   * Where a port is for the platform.
   *
   * @param account where
   * @param access to the sandbox
   * @param port inside
   * @return with the secret headers
   */
  public static HttpsBase address(Account account, Access access, int port) {
    return new HttpsBase(
        Edge.base(account, access, port), Edge.headers(access, port), Trust.AUTHORITIES);
  }

  /**
   * Writes a file as root. Folders that are missing are made.
   *
   * @param account where
   * @param access to the sandbox
   * @param path absolute
   * @param content of the file
   * @param call deadline
   * @throws ExtensionException typed
   */
  public void write(Account account, Access access, String path, BodyPublisher content, Call call)
      throws ExtensionException {
    String target = "/files?username=%s&path=%s".formatted(ROOT, URLEncoder.encode(path, UTF_8));
    HttpRequest.Builder request =
        request(account, access, target)
            .header("Content-Type", "application/octet-stream")
            .POST(content);
    need(send(account, request, Wire.bytes(), LONG, call), "write " + path);
  }

  /**
   * Runs a command to its end.
   *
   * @param account where
   * @param access to the sandbox
   * @param user of the template
   * @param script of a POSIX shell
   * @param words its arguments
   * @param call deadline
   * @return how it ended
   * @throws ExtensionException typed
   */
  public Ended run(
      Account account, Access access, String user, String script, List<String> words, Call call)
      throws ExtensionException {
    JsonNode body = start(shell(script, words), Map.of());
    return Ended.of(stream(account, access, user, body, frame -> false, call));
  }

  /**
   * Starts a process that goes on by itself.
   *
   * @param account where
   * @param access to the sandbox
   * @param user of the template
   * @param tag by which it is found again
   * @param script of a POSIX shell
   * @param words its arguments
   * @param call deadline
   * @throws ExtensionException typed
   */
  public void start(
      Account account,
      Access access,
      String user,
      String tag,
      String script,
      List<String> words,
      Call call)
      throws ExtensionException {
    JsonNode body = start(shell(script, words), Map.of("tag", tag));
    Predicate<JsonNode> started = frame -> frame.path("event").has("start");
    if (stream(account, access, user, body, started, call).stream().noneMatch(started)) {
      throw failure(ErrorCode.UNAVAILABLE, "envd did not say that boxd was started");
    }
  }

  private static List<String> shell(String script, List<String> words) {
    List<String> all = new java.util.ArrayList<>(List.of("-c", script, "sh"));
    all.addAll(words);
    return all;
  }

  private static JsonNode start(List<String> arguments, Map<String, Object> more) {
    Map<String, Object> body = new java.util.TreeMap<>(more);
    body.put("process", Map.of("cmd", "/bin/sh", "args", arguments, "cwd", "/"));
    body.put("stdin", false);
    return JSON.valueToTree(body);
  }

  private List<JsonNode> stream(
      Account account,
      Access access,
      String user,
      JsonNode body,
      Predicate<JsonNode> last,
      Call call)
      throws ExtensionException {
    byte[] json = body.toString().getBytes(UTF_8);
    byte[] framed =
        ByteBuffer.allocate(json.length + 5).put((byte) 0).putInt(json.length).put(json).array();
    HttpRequest.Builder request =
        request(account, access, "/process.Process/Start")
            .header("Content-Type", "application/connect+json")
            .header("Connect-Protocol-Version", "1")
            .header(
                "Authorization",
                "Basic " + Base64.getEncoder().encodeToString((user + ":").getBytes(UTF_8)))
            .POST(BodyPublishers.ofByteArray(framed));
    HttpResponse<byte[]> raw = send(account, request, Frames.until(last), LONG, call);
    need(raw, "start a process as " + user);
    List<JsonNode> frames = Frames.parse(raw.body());
    for (JsonNode frame : frames) {
      JsonNode error = frame.path("error");
      if (error.has("code")) {
        ErrorCode code =
            switch (error.path("code").asText()) {
              case "unauthenticated", "invalid_argument" -> ErrorCode.VALIDATION;
              default -> ErrorCode.UNAVAILABLE;
            };
        throw failure(
            code,
            "envd does not start a process as user %s: %s"
                .formatted(user, plain(error.path("message").asText(""))));
      }
    }
    return frames;
  }

  /**
   * Whether a process of that tag lives.
   *
   * @param account where
   * @param access to the sandbox
   * @param tag as it was started with
   * @param call deadline
   * @return what envd says
   * @throws ExtensionException typed, also if envd itself has ended
   */
  public boolean lives(Account account, Access access, String tag, Call call)
      throws ExtensionException {
    HttpRequest.Builder request =
        request(account, access, "/process.Process/List")
            .header("Content-Type", "application/json")
            .header("Connect-Protocol-Version", "1")
            .POST(BodyPublishers.ofString("{}"));
    HttpResponse<byte[]> raw = send(account, request, Wire.bytes(), SHORT, call);
    need(raw, "list processes");
    for (JsonNode process : Answer.json(raw.body()).path("processes")) {
      if (tag.equals(process.path("tag").asText())) {
        return true;
      }
    }
    return false;
  }

  /**
   * Asks the edge whether anything answers at a port.
   *
   * @param account where
   * @param access to the sandbox
   * @param port inside
   * @param path to ask for, whose answer is not read
   * @param call deadline
   * @return what the edge says
   * @throws ExtensionException typed, if the edge does not answer or refuses
   */
  public Port port(Account account, Access access, int port, String path, Call call)
      throws ExtensionException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(Edge.base(account, access, port) + path)).GET();
    Edge.headers(access, port).forEach(request::header);
    HttpResponse<byte[]> raw = send(account, request, Wire.bytes(), SHORT, call);
    if (raw.statusCode() == 401 || raw.statusCode() == 403) {
      throw failure(
          ErrorCode.UNAVAILABLE,
          "E2B's edge refuses the sandbox's token: HTTP " + raw.statusCode());
    }
    return raw.statusCode() >= 500 ? Port.CLOSED : Port.OPEN;
  }

  /**
   * Reads the end of a file, for a person.
   *
   * @param account where
   * @param access to the sandbox
   * @param path absolute
   * @param call deadline
   * @return empty if it cannot be read
   */
  public String tail(Account account, Access access, String path, Call call) {
    String target = "/files?username=%s&path=%s".formatted(ROOT, URLEncoder.encode(path, UTF_8));
    try {
      HttpResponse<byte[]> raw =
          send(account, request(account, access, target).GET(), Wire.bytes(), SHORT, call);
      String text = raw.statusCode() == 200 ? new String(raw.body(), UTF_8).strip() : "";
      return plain(text.substring(Math.max(0, text.length() - Ended.MOST)));
    } catch (ExtensionException e) {
      return "";
    }
  }

  private HttpRequest.Builder request(Account account, Access access, String path) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(Edge.base(account, access, PORT) + path));
    Edge.headers(access, PORT).forEach(request::header);
    if (!access.envdToken().isEmpty()) {
      request.header("X-Access-Token", access.envdToken());
    }
    return request;
  }

  private HttpResponse<byte[]> send(
      Account account,
      HttpRequest.Builder request,
      BodyHandler<byte[]> body,
      Duration most,
      Call call)
      throws ExtensionException {
    try {
      return wire.send(account, request, body, most, call);
    } catch (UnansweredException e) {
      throw new ExtensionException(
          e.late() ? ErrorCode.TIMEOUT : ErrorCode.UNAVAILABLE,
          Outcome.UNKNOWN,
          "the sandbox cannot be reached through E2B's edge: " + e.getMessage(),
          e);
    }
  }

  private static void need(HttpResponse<byte[]> raw, String what) throws ExtensionException {
    if (raw.statusCode() >= 200 && raw.statusCode() < 300) {
      return;
    }
    String said = plain(Answer.json(raw.body()).path("message").asText(""));
    ErrorCode code =
        switch (raw.statusCode()) {
          case BAD_GATEWAY -> ErrorCode.UNAVAILABLE;
          case 507 -> ErrorCode.CAPACITY;
          case 400, 401 -> ErrorCode.VALIDATION;
          default -> ErrorCode.UNAVAILABLE;
        };
    throw failure(code, "envd does not %s: %s (HTTP %d)".formatted(what, said, raw.statusCode()));
  }

  private static ExtensionException failure(ErrorCode code, String message) {
    return new ExtensionException(code, Outcome.UNKNOWN, message, null);
  }

  private static String plain(String text) {
    return text.replaceAll("[\\p{Cntrl}&&[^\\n\\t]]", "?");
  }
}
