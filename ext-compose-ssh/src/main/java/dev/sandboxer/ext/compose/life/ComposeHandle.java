package dev.sandboxer.ext.compose.life;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.SandboxIdentity;
import java.util.Map;
import java.util.TreeMap;

/**
 * What is stored of a sandbox. Where it is, each call says.
 *
 * @param identity whose it is
 */
public record ComposeHandle(SandboxIdentity identity) {

  private static final int VERSION = 1;
  private static final ObjectMapper JSON = new ObjectMapper();

  SandboxHandle toHandle() {
    try {
      return SandboxHandle.of(
          VERSION,
          JSON.writeValueAsString(
              new TreeMap<>(
                  Map.of("installation", identity.installation(), "name", identity.name()))));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Reads one.
   *
   * @param handle of any version that was ever written
   * @return what it says
   * @throws ExtensionException VALIDATION if it is not one of ours
   */
  public static ComposeHandle of(SandboxHandle handle) throws ExtensionException {
    try {
      JsonNode data = handle.version() == VERSION ? JSON.readTree(handle.data()) : null;
      if (data != null) {
        return new ComposeHandle(
            SandboxIdentity.ofName(data.path("installation").asText(), data.path("name").asText())
                .orElseThrow(() -> new IllegalArgumentException("it names no sandbox")));
      }
      throw new IllegalArgumentException("version " + handle.version() + " is not known");
    } catch (JsonProcessingException | IllegalArgumentException e) {
      throw new ExtensionException(
          ErrorCode.VALIDATION,
          Outcome.NOTHING_CREATED,
          "this is not a handle of ext.compose-ssh: " + e.getMessage(),
          e);
    }
  }
}
