package dev.sandboxer.secrets.vault;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.secret.SecretException;
import dev.sandboxer.spi.secret.SecretStore;
import java.nio.charset.StandardCharsets;

/** Reads the latest versions of secrets. */
final class VaultStore implements SecretStore {

  private static final int FORBIDDEN = 403;
  private static final int NOT_FOUND = 404;

  private final VaultSettings settings;
  private final VaultHttp http;
  private final TokenKeeper tokens;

  VaultStore(VaultSettings settings, VaultHttp http, TokenKeeper tokens) {
    this.settings = settings;
    this.http = http;
    this.tokens = tokens;
  }

  @Override
  public byte[] read(String path, Call call) throws SecretException {
    SecretPath secret = SecretPath.of(path, settings.mount());
    VaultHttp.Reply reply = get(secret.data(), call);
    return switch (reply.status()) {
      case FORBIDDEN ->
          throw SecretException.missing("the store does not permit to read '%s'".formatted(secret));
      case NOT_FOUND ->
          throw SecretException.missing(gone(secret, reply.body().at("/data/metadata")));
      default -> {
        if (!reply.ok()) {
          throw SecretException.away(
              "the server refused the request with status " + reply.status(), null);
        }
        yield value(secret, reply.body());
      }
    };
  }

  /** The same 403 says that the token is gone and that it may not; a token that is gone is not. */
  private VaultHttp.Reply get(String path, Call call) throws SecretException {
    String token = tokens.get(call.remaining());
    VaultHttp.Reply reply = http.get(path, token, call.remaining());
    if (reply.status() != FORBIDDEN || tokens.valid(token, call.remaining())) {
      return reply;
    }
    tokens.refused(token);
    return http.get(path, tokens.get(call.remaining()), call.remaining());
  }

  private static byte[] value(SecretPath secret, JsonNode body) throws SecretException {
    JsonNode data = body.at("/data/data");
    if (!data.isObject() || !body.at("/data/metadata").isObject()) {
      throw SecretException.away(
          "the server's answer is no secret of a KV engine, version 2", null);
    }
    JsonNode value = data.path(secret.key());
    if (value.isMissingNode() || value.isNull()) {
      throw SecretException.missing("'%s' has no key '%s'".formatted(secret, secret.key()));
    }
    if (value.isContainerNode()) {
      throw SecretException.missing(
          "the key '%s' of '%s' is no text".formatted(secret.key(), secret));
    }
    return value.asText().getBytes(StandardCharsets.UTF_8);
  }

  private static String gone(SecretPath secret, JsonNode metadata) {
    if (metadata.path("destroyed").asBoolean()) {
      return "the latest version of '%s' was destroyed".formatted(secret);
    }
    return metadata.path("deletion_time").asText().isEmpty()
        ? "there is no secret '%s'".formatted(secret)
        : "the latest version of '%s' was deleted".formatted(secret);
  }

  @Override
  public void check(Call call) throws SecretException {
    String token = tokens.get(call.remaining());
    if (!tokens.valid(token, call.remaining())) {
      tokens.refused(token);
      if (!tokens.valid(tokens.get(call.remaining()), call.remaining())) {
        throw TokenKeeper.refusedToken();
      }
    }
  }

  @Override
  public void close() {
    tokens.close();
    http.close();
  }
}
