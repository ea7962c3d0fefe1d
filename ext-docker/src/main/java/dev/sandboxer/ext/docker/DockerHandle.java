package dev.sandboxer.ext.docker;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Limit;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.SandboxIdentity;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What is stored of a sandbox.
 *
 * @param identity whose it is
 * @param container the Engine's id, empty if only a folder is left
 * @param notEnforced limits that the Engine could not enforce when it was made
 */
record DockerHandle(SandboxIdentity identity, String container, Set<Limit> notEnforced) {

  private static final int VERSION = 1;
  private static final ObjectMapper JSON = new ObjectMapper();

  SandboxHandle toHandle() {
    Map<String, Object> data = new TreeMap<>();
    data.put("installation", identity.installation());
    data.put("name", identity.name());
    data.put("container", container);
    data.put(
        "not_enforced",
        notEnforced.stream().map(Limit::name).collect(Collectors.toCollection(TreeSet::new)));
    try {
      return SandboxHandle.of(VERSION, JSON.writeValueAsString(data));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  static DockerHandle of(SandboxHandle handle) throws ExtensionException {
    try {
      if (handle.version() != VERSION) {
        throw new IllegalArgumentException("version " + handle.version() + " is not known");
      }
      Data data = JSON.readValue(handle.data(), Data.class);
      SandboxIdentity identity =
          Labels.parse(data.installation(), data.name())
              .orElseThrow(() -> new IllegalArgumentException("it names no sandbox"));
      return new DockerHandle(identity, data.container(), data.not_enforced());
    } catch (JsonProcessingException | IllegalArgumentException | NullPointerException e) {
      throw new ExtensionException(
          ErrorCode.VALIDATION,
          Outcome.NOTHING_CREATED,
          "this is not a handle of ext.docker: " + e.getMessage(),
          e);
    }
  }

  /** As it is written. */
  @SuppressWarnings("checkstyle:RecordComponentName")
  private record Data(
      String installation, String name, String container, Set<Limit> not_enforced) {}
}
