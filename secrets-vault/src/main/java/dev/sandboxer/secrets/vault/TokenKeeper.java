package dev.sandboxer.secrets.vault;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.spi.secret.SecretException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a token: logs in at once, renews it when two thirds of its time are over, and logs in again
 * when it is refused or cannot be renewed. Who needs a token meanwhile waits for the same login.
 */
final class TokenKeeper implements AutoCloseable {

  private static final System.Logger LOG = System.getLogger(TokenKeeper.class.getName());

  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
  private static final Duration LAST_CALL = Duration.ofSeconds(2);
  private static final int MOST_BYTES = 16 << 10;
  private static final String VISIBLE = "[!-~]{1,16384}";

  private final VaultHttp http;
  private final Login login;
  private final Duration limit;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Thread thread;
  private @Nullable Token token;
  private @Nullable Unwrapped unwrapped;
  private boolean closed;

  TokenKeeper(VaultHttp http, Login login, Duration limit) {
    this.http = http;
    this.login = login;
    this.limit = limit;
    this.thread = Thread.ofVirtual().name("vault-token").start(this::keep);
  }

  /** A token, with times of {@link System#nanoTime}; {@code renewAt} is null if it has no end. */
  private record Token(
      String text, @Nullable Long renewAt, @Nullable Long endsAt, boolean renewable) {

    static Token of(String text, long seconds, boolean renewable) {
      if (seconds <= 0) {
        return new Token(text, null, null, false);
      }
      long now = System.nanoTime();
      long whole = TimeUnit.SECONDS.toNanos(seconds);
      return new Token(text, now + whole / 3 * 2, now + whole, renewable);
    }

    boolean ended() {
      return endsAt != null && System.nanoTime() - endsAt >= 0;
    }

    @Override
    public String toString() {
      return "Token[renewable=" + renewable + "]";
    }
  }

  /** What a wrapping token held; it gives that once. */
  private record Unwrapped(String wrapping, String secretId) {
    @Override
    public String toString() {
      return "Unwrapped[]";
    }
  }

  /** The token to use now. */
  String get(Duration time) throws SecretException {
    take(time);
    try {
      Token known = token;
      if (known == null || known.ended()) {
        known = logIn(time);
        token = known;
        changed.signalAll();
      }
      return known.text();
    } finally {
      lock.unlock();
    }
  }

  private void take(Duration time) throws SecretException {
    try {
      if (!lock.tryLock(time.toNanos(), TimeUnit.NANOSECONDS)) {
        throw SecretException.away("the login at the server takes too long", null);
      }
    } catch (InterruptedException e) {
      throw SecretException.away("the login at the server takes too long", e);
    }
  }

  /** Whether the server knows a token. */
  boolean valid(String text, Duration time) throws SecretException {
    return http.get("auth/token/lookup-self", text, time).ok();
  }

  /** A token that the server does not know is not used again. */
  void refused(String text) {
    lock.lock();
    try {
      if (token != null && token.text().equals(text)) {
        token = null;
      }
    } finally {
      lock.unlock();
    }
  }

  private Token logIn(Duration time) throws SecretException {
    return switch (login) {
      case Login.Token(Path file) -> {
        String text = secret(file);
        VaultHttp.Reply reply = http.get("auth/token/lookup-self", text, time);
        if (!reply.ok()) {
          throw refusedToken();
        }
        JsonNode data = reply.body().path("data");
        boolean ends = !data.path("expire_time").asText("").isEmpty();
        yield Token.of(
            text,
            ends ? Math.max(1, data.path("ttl").asLong()) : 0,
            data.path("renewable").asBoolean());
      }
      case Login.AppRole role ->
          loggedIn(
              role.mount(),
              Map.of(
                  "role_id",
                  role.roleId(),
                  "secret_id",
                  role.wrapped() ? unwrapped(role.file(), time) : secret(role.file())),
              time);
      case Login.Kubernetes kubernetes ->
          loggedIn(
              kubernetes.mount(),
              Map.of("role", kubernetes.role(), "jwt", secret(kubernetes.jwt())),
              time);
    };
  }

  private Token loggedIn(String mount, Map<String, String> body, Duration time)
      throws SecretException {
    VaultHttp.Reply reply = http.post("auth/" + mount + "/login", null, body, time);
    if (!reply.ok()) {
      throw SecretException.away(
          "the server refuses the platform's login (auth/%s, status %d)"
              .formatted(mount, reply.status()),
          null);
    }
    return granted(reply.body());
  }

  private static Token granted(JsonNode body) throws SecretException {
    JsonNode auth = body.path("auth");
    String text = auth.path("client_token").asText();
    if (!text.matches(VISIBLE)) {
      throw SecretException.away("the server's answer to a login has no token", null);
    }
    return Token.of(text, auth.path("lease_duration").asLong(), auth.path("renewable").asBoolean());
  }

  /** Once for each wrapping token: a second time is refused, by the server too. */
  private String unwrapped(Path file, Duration time) throws SecretException {
    String wrapping = secret(file);
    Unwrapped known = unwrapped;
    if (known != null && known.wrapping().equals(wrapping)) {
      return known.secretId();
    }
    VaultHttp.Reply reply = http.post("sys/wrapping/unwrap", wrapping, Map.of(), time);
    String secretId = reply.body().at("/data/secret_id").asText();
    if (!reply.ok() || secretId.isEmpty()) {
      throw SecretException.away(
          "the wrapped secret id was unwrapped before, or has ended: if not by this platform, it"
              + " is known to somebody else; have a new one issued",
          null);
    }
    unwrapped = new Unwrapped(wrapping, secretId);
    return secretId;
  }

  static SecretException refusedToken() {
    return SecretException.away(
        "the server does not know the platform's token, or the token has not the policy 'default'",
        null);
  }

  /** Checked here: what refuses a header says what was in it. */
  private static String secret(Path file) throws SecretException {
    try (InputStream in = Files.newInputStream(file)) {
      String text = new String(in.readNBytes(MOST_BYTES), StandardCharsets.UTF_8).strip();
      if (text.matches(VISIBLE)) {
        return text;
      }
    } catch (IOException e) {
      throw SecretException.away("a file of the login cannot be read: " + file.getFileName(), e);
    }
    throw SecretException.away(
        "a file of the login must hold one word of ASCII: " + file.getFileName(), null);
  }

  /** The thread that keeps the token until the store is closed. */
  private void keep() {
    Duration pause = FIRST_PAUSE;
    try {
      while (true) {
        try {
          var _ = get(limit);
          awaitRenewal();
          renew();
          pause = FIRST_PAUSE;
        } catch (SecretException e) {
          // Readers get the reason, and the platform logs it.
          LOG.log(System.Logger.Level.DEBUG, "no token yet: {0}", e.getMessage());
          Thread.sleep(pause);
          Duration next = pause.multipliedBy(2);
          pause = next.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : next;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // closed
    }
  }

  private void awaitRenewal() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (true) {
        Token now = token;
        if (closed) {
          throw new InterruptedException();
        }
        if (now == null) {
          return;
        }
        if (now.renewAt() == null) {
          changed.await();
        } else {
          long left = now.renewAt() - System.nanoTime();
          if (left <= 0) {
            return;
          }
          var _ = changed.awaitNanos(left);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** Where that is not possible, the next one comes from a login. */
  private void renew() throws SecretException {
    take(limit);
    try {
      Token old = token;
      if (old == null) {
        return;
      }
      if (!old.renewable()) {
        token = logIn(limit);
        return;
      }
      VaultHttp.Reply reply = http.post("auth/token/renew-self", old.text(), Map.of(), limit);
      token = reply.ok() ? renewed(old, reply.body()) : logIn(limit);
    } finally {
      lock.unlock();
    }
  }

  /** What has reached its longest life is renewed for less and less: a login begins a new one. */
  private Token renewed(Token old, JsonNode body) throws SecretException {
    Token next = granted(body);
    boolean shrinks =
        next.endsAt() != null
            && old.endsAt() != null
            && next.endsAt() - Objects.requireNonNull(old.endsAt()) < FIRST_PAUSE.toNanos();
    return shrinks ? logIn(limit) : next;
  }

  @Override
  public void close() {
    Token last;
    lock.lock();
    try {
      closed = true;
      last = token;
      token = null;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    thread.interrupt();
    if (last != null && !(login instanceof Login.Token)) {
      try {
        var _ = http.post("auth/token/revoke-self", last.text(), Map.of(), LAST_CALL);
      } catch (SecretException e) {
        LOG.log(System.Logger.Level.DEBUG, "the token ends by itself: {0}", e.getMessage());
      }
    }
  }
}
