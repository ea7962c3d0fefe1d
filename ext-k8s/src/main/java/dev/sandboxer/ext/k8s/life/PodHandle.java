package dev.sandboxer.ext.k8s.life;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.SandboxIdentity;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Map;
import java.util.TreeMap;

/**
 * What is stored of a sandbox. In which cluster it is, each call says.
 *
 * @param identity whose it is
 * @param namespace of the pod, also once the host's setting is another one
 * @param uid of the pod, empty if only its policy is left
 * @param policy uid of its policy, empty if not known
 */
record PodHandle(SandboxIdentity identity, String namespace, String uid, String policy) {

  private static final int VERSION = 1;
  private static final ObjectMapper JSON = new ObjectMapper();

  static PodHandle of(SandboxIdentity identity, Pod pod) {
    ObjectMeta meta = pod.getMetadata();
    return new PodHandle(identity, meta.getNamespace(), meta.getUid(), "");
  }

  PodHandle withPolicy(String known) {
    return new PodHandle(identity, namespace, uid, known);
  }

  String name() {
    return Labels.name(identity);
  }

  SandboxHandle toHandle() {
    Map<String, Object> data = new TreeMap<>();
    data.put("installation", identity.installation());
    data.put("name", identity.name());
    data.put("namespace", namespace);
    data.put("uid", uid);
    data.put("policy", policy);
    try {
      return SandboxHandle.of(VERSION, JSON.writeValueAsString(data));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  static PodHandle of(SandboxHandle handle) throws ExtensionException {
    try {
      JsonNode data = handle.version() == VERSION ? JSON.readTree(handle.data()) : null;
      if (data == null) {
        throw new IllegalArgumentException("version " + handle.version() + " is not known");
      }
      SandboxIdentity identity =
          SandboxIdentity.ofName(data.path("installation").asText(), data.path("name").asText())
              .orElseThrow(() -> new IllegalArgumentException("it names no sandbox"));
      String namespace = data.path("namespace").asText();
      if (!namespace.matches("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")) {
        throw new IllegalArgumentException("it names no namespace");
      }
      return new PodHandle(
          identity, namespace, data.path("uid").asText(), data.path("policy").asText());
    } catch (JsonProcessingException | IllegalArgumentException e) {
      throw new ExtensionException(
          ErrorCode.VALIDATION,
          Outcome.NOTHING_CREATED,
          "this is not a handle of ext.k8s: " + e.getMessage(),
          e);
    }
  }
}
