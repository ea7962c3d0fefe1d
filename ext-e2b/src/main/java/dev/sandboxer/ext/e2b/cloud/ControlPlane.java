package dev.sandboxer.ext.e2b.cloud;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;
import java.net.URLEncoder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * E2B's API. A failure has outcome UNKNOWN where the request may have had an effect,
 * NOTHING_CREATED where it had none.
 */
public final class ControlPlane implements AutoCloseable {

  private static final int PAGE = 100;
  private static final int GONE = 404;
  private static final int NOT_ALLOWED = 405;
  private static final int RATE = 429;
  private static final int CONFLICT = 409;
  private static final String SANDBOXES = "/sandboxes";
  private static final String V2 = "/v2";
  private static final byte[] EMPTY = "{}".getBytes(UTF_8);

  private final Wire wire = new Wire();
  private final ApiRequests api = new ApiRequests(wire);

  /**
   * One page of sandboxes.
   *
   * @param sandboxes running and paused ones
   * @param next token of the next page, empty on the last
   */
  public record Page(List<Remote> sandboxes, String next) {}

  /**
   * The other half: envd, through the edge.
   *
   * @return on the same connections
   */
  public Envd envd() {
    return new Envd(wire);
  }

  /**
   * Makes a sandbox. A rate limit is waited out while the call lasts.
   *
   * @param account where
   * @param body as the API has it
   * @param key the same key gives the same sandbox, where the server knows keys
   * @param call deadline
   * @return how the sandbox is reached
   * @throws ExtensionException typed; UNKNOWN if the answer was lost
   */
  public Access create(Account account, JsonNode body, String key, Call call)
      throws ExtensionException {
    String what = "make a sandbox";
    while (true) {
      Answer answer = createOnce(account, body, key, call);
      if (answer.ok()) {
        return access(account, what, answer);
      }
      boolean again = answer.status() == RATE || inProgress(answer);
      Duration pause = answer.retryAfter().orElse(Duration.ZERO);
      if (!again || pause.isZero() || pause.compareTo(call.remaining()) >= 0) {
        throw Failures.failed(account, what, answer);
      }
      pause(pause, inProgress(answer));
    }
  }

  private static boolean inProgress(Answer answer) {
    return answer.status() == CONFLICT && "idempotency_in_progress".equals(answer.errorCode());
  }

  /** For as long as E2B has asked for in Retry-After. */
  private static void pause(Duration pause, boolean mayBe) throws ExtensionException {
    try {
      Thread.sleep(pause);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ExtensionException(
          ErrorCode.TIMEOUT,
          mayBe ? Outcome.UNKNOWN : Outcome.NOTHING_CREATED,
          "cancelled while E2B's rate limit was waited out",
          e);
    }
  }

  /** Servers of before September 2026 have no {@code /v2} for it. */
  private Answer createOnce(Account account, JsonNode body, String key, Call call)
      throws ExtensionException {
    Answer answer = api.create(account, V2 + SANDBOXES, body, key, call);
    return noSuchRoute(answer) ? api.create(account, SANDBOXES, body, key, call) : answer;
  }

  /** Of a template or a sandbox that is missing, the server says so. */
  private static boolean noSuchRoute(Answer answer) {
    String message = answer.body().path("message").asText("");
    boolean missing = message.contains("template") || message.startsWith("Sandbox ");
    return answer.status() == NOT_ALLOWED || (answer.status() == GONE && !missing);
  }

  private static Access access(Account account, String what, Answer answer)
      throws ExtensionException {
    Access access = Access.of(answer.body());
    if (access.id().matches("[a-z0-9]{1,64}")) {
      return access;
    }
    throw new ExtensionException(
        ErrorCode.UNAVAILABLE,
        Outcome.UNKNOWN,
        "E2B of host %s was asked to %s and answered without a sandbox's id: is %s its API?"
            .formatted(account.host(), what, account.api()),
        null);
  }

  /**
   * Looks at one.
   *
   * @param account where
   * @param id E2B's own
   * @param call deadline
   * @return empty if E2B has none of that id
   * @throws ExtensionException typed
   */
  public Optional<Remote> get(Account account, String id, Call call) throws ExtensionException {
    Answer answer = api.get(account, SANDBOXES + "/" + id, call);
    if (answer.status() == GONE) {
      return Optional.empty();
    }
    return Optional.of(Remote.of(need(account, "show sandbox " + id, answer).body()));
  }

  /**
   * Lists running and paused ones.
   *
   * @param account where
   * @param metadata that they have
   * @param token of the page, empty for the first
   * @param call deadline
   * @return a page
   * @throws ExtensionException typed
   */
  public Page list(Account account, Map<String, String> metadata, String token, Call call)
      throws ExtensionException {
    String filter =
        metadata.entrySet().stream()
            .map(one -> encode(one.getKey()) + "=" + encode(one.getValue()))
            .collect(Collectors.joining("&"));
    String path =
        "%s%s?state=running,paused&limit=%d&metadata=%s%s"
            .formatted(
                V2,
                SANDBOXES,
                PAGE,
                encode(filter),
                token.isEmpty() ? "" : "&nextToken=" + encode(token));
    Answer answer = need(account, "list sandboxes", api.get(account, path, call));
    List<Remote> all = new ArrayList<>();
    answer.body().forEach(one -> all.add(Remote.of(one)));
    return new Page(all, answer.nextToken());
  }

  /**
   * Lists all pages.
   *
   * @param account where
   * @param metadata that they have
   * @param call deadline
   * @return running and paused ones
   * @throws ExtensionException typed
   */
  public List<Remote> all(Account account, Map<String, String> metadata, Call call)
      throws ExtensionException {
    List<Remote> all = new ArrayList<>();
    String token = "";
    do {
      Page page = list(account, metadata, token, call);
      all.addAll(page.sandboxes());
      token = page.next();
    } while (!token.isEmpty());
    return all;
  }

  /**
   * Gets the tokens of one that runs, and keeps it for at least a time.
   *
   * @param account where
   * @param id E2B's own
   * @param least how long it lives from now on
   * @param call deadline
   * @return empty if E2B has none of that id
   * @throws ExtensionException typed
   */
  public Optional<Access> connect(Account account, String id, Duration least, Call call)
      throws ExtensionException {
    String what = "connect to sandbox " + id;
    String path = SANDBOXES + "/" + id + "/connect";
    JsonNode body = timeout(least);
    Answer answer = api.post(account, V2 + path, body, call);
    if (noSuchRoute(answer)) {
      answer = api.post(account, path, body, call);
    }
    if (answer.status() == GONE) {
      return Optional.empty();
    }
    return Optional.of(access(account, what, need(account, what, answer)));
  }

  /**
   * Sets when E2B ends one. Where the account allows less, it is set to what it allows.
   *
   * @param account where
   * @param id E2B's own
   * @param life from now on
   * @param call deadline
   * @throws ExtensionException typed
   */
  public void setTimeout(Account account, String id, Duration life, Call call)
      throws ExtensionException {
    String path = SANDBOXES + "/" + id + "/timeout";
    Answer answer = api.post(account, path, timeout(life), call);
    Optional<Duration> most = Allowance.of(answer);
    if (most.isPresent() && most.get().compareTo(life) < 0) {
      answer = api.post(account, path, timeout(most.get()), call);
    }
    need(account, "keep sandbox " + id, answer);
  }

  /**
   * Suspends one, with its memory kept. One that is suspended already is fine.
   *
   * @param account where
   * @param id E2B's own
   * @param call deadline
   * @return false if E2B has none of that id
   * @throws ExtensionException typed
   */
  public boolean pause(Account account, String id, Call call) throws ExtensionException {
    Answer answer = api.post(account, SANDBOXES + "/" + id + "/pause", Answer.json(EMPTY), call);
    if (answer.status() == GONE) {
      return false;
    }
    if (answer.status() != CONFLICT) {
      need(account, "pause sandbox " + id, answer);
    }
    return true;
  }

  /**
   * Ends one and removes what was kept of it.
   *
   * @param account where
   * @param id E2B's own
   * @param call deadline
   * @return false if there was none of that id
   * @throws ExtensionException typed
   */
  public boolean kill(Account account, String id, Call call) throws ExtensionException {
    Answer answer = api.delete(account, SANDBOXES + "/" + id, call);
    if (answer.status() == GONE) {
      return false;
    }
    need(account, "end sandbox " + id, answer);
    return true;
  }

  /**
   * The sizes of the account's templates.
   *
   * @param account where
   * @param call deadline
   * @return by each name of a template; public ones may be missing
   * @throws ExtensionException typed
   */
  public Map<String, Size> templates(Account account, Call call) throws ExtensionException {
    Answer answer = api.get(account, V2 + "/templates", call);
    if (noSuchRoute(answer)) {
      answer = api.get(account, "/templates", call);
    }
    Map<String, Size> sizes = new HashMap<>();
    for (JsonNode one : need(account, "list templates", answer).body()) {
      Size size = Remote.size(one);
      sizes.put(one.path("templateID").asText(), size);
      one.path("names").forEach(name -> sizes.put(name.asText(), size));
      one.path("aliases").forEach(name -> sizes.put(name.asText(), size));
    }
    return sizes;
  }

  private static JsonNode timeout(Duration life) {
    return Answer.json(("{\"timeout\":" + Math.max(1, life.toSeconds()) + "}").getBytes(UTF_8));
  }

  private static Answer need(Account account, String what, Answer answer)
      throws ExtensionException {
    if (answer.ok()) {
      return answer;
    }
    throw Failures.refused(account, what, answer);
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, UTF_8);
  }

  @Override
  public void close() {
    wire.close();
  }
}
