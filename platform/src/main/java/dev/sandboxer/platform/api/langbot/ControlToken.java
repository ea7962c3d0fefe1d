package dev.sandboxer.platform.api.langbot;

import dev.sandboxer.platform.connection.ClientAddress;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.platform.token.FailureLimit;
import io.vertx.core.http.HttpServerRequest;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;

/** Checks who knows the control token, and of which instance it is. */
@ApplicationScoped
class ControlToken {

  static final String HEADER = "X-LangBot-Box-Control-Token";
  static final String INSTANCE = "X-LangBot-Instance-Id";

  private static final Pattern INSTANCE_ID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:-]{0,127}");
  private static final int FREE_FAILURES = 50;
  private static final Duration FAILURE_LEAK = Duration.ofMillis(200);

  private final Optional<byte[]> expected;
  private final FailureLimit failures;

  ControlToken(Settings settings, Clock clock) {
    this.expected = settings.langBotToken().map(token -> token.getBytes(StandardCharsets.UTF_8));
    this.failures = new FailureLimit(FREE_FAILURES, FAILURE_LEAK, clock);
  }

  /** Whether there is a token, without which nobody is let in. */
  boolean set() {
    return expected.isPresent();
  }

  /** How long this caller must wait before its token is looked at, 0 if not. */
  int waitSeconds(HttpServerRequest request) {
    return failures.waitSeconds(ClientAddress.of(request));
  }

  /** The instance of a caller with the right token; a wrong one counts against its address. */
  Optional<String> instance(HttpServerRequest request) {
    String given = request.getHeader(HEADER);
    boolean right =
        given != null
            && expected
                .filter(
                    token -> MessageDigest.isEqual(token, given.getBytes(StandardCharsets.UTF_8)))
                .isPresent();
    if (!right) {
      failures.failed(ClientAddress.of(request));
      return Optional.empty();
    }
    return Optional.ofNullable(request.getHeader(INSTANCE))
        .map(String::strip)
        .filter(id -> INSTANCE_ID.matcher(id).matches());
  }
}
