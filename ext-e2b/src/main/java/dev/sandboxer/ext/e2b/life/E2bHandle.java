package dev.sandboxer.ext.e2b.life;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.ext.e2b.cloud.Access;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.SandboxIdentity;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What is stored of a sandbox.
 *
 * @param identity whose it is
 * @param id E2B's own
 * @param access with the tokens, empty for one that was found: E2B gives them again
 */
record E2bHandle(SandboxIdentity identity, String id, Optional<Access> access) {

  private static final int VERSION = 1;
  private static final ObjectMapper JSON = new ObjectMapper();

  static E2bHandle of(SandboxIdentity identity, Access access) {
    return new E2bHandle(identity, access.id(), Optional.of(access));
  }

  static E2bHandle found(SandboxIdentity identity, String id) {
    return new E2bHandle(identity, id, Optional.empty());
  }

  SandboxHandle toHandle() {
    Map<String, String> data = new TreeMap<>();
    data.put("installation", identity.installation());
    data.put("name", identity.name());
    data.put("id", id);
    return access.isPresent()
        ? new SandboxHandle(VERSION, text(data), secret(access.get()))
        : SandboxHandle.of(VERSION, text(data));
  }

  private static byte[] secret(Access access) {
    return text(new TreeMap<>(
            Map.of(
                "domain", access.domain(),
                "envd", access.envdToken(),
                "traffic", access.trafficToken())))
        .getBytes(UTF_8);
  }

  private static String text(Map<String, String> values) {
    try {
      return JSON.writeValueAsString(values);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** VALIDATION if it is not one of ours. */
  static E2bHandle of(SandboxHandle handle) throws ExtensionException {
    try {
      JsonNode data = JSON.readTree(handle.data());
      String id = data.path("id").asText("");
      Optional<SandboxIdentity> identity =
          SandboxIdentity.ofName(
              data.path("installation").asText(""), data.path("name").asText(""));
      if (handle.version() == VERSION && identity.isPresent() && id.matches("[a-z0-9]{1,64}")) {
        return new E2bHandle(identity.get(), id, access(id, handle.secret()));
      }
    } catch (IOException | IllegalArgumentException e) {
      // reported below
    }
    throw new ExtensionException(
        ErrorCode.VALIDATION,
        "'%.80s' of version %d is not a handle of ext.e2b"
            .formatted(handle.data(), handle.version()));
  }

  private static Optional<Access> access(String id, byte @Nullable [] secret) throws IOException {
    if (secret == null) {
      return Optional.empty();
    }
    JsonNode values = JSON.readTree(secret);
    return Optional.of(
        new Access(
            id,
            values.path("domain").asText(""),
            values.path("envd").asText(""),
            values.path("traffic").asText("")));
  }

  /** Without the tokens. */
  @Override
  public String toString() {
    return "E2bHandle[" + identity.name() + ", " + id + "]";
  }
}
