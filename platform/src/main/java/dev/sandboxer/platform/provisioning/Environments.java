package dev.sandboxer.platform.provisioning;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.installation.Sealer;
import dev.sandboxer.platform.sandbox.Sandbox;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The environment of a sandbox: sealed at rest, shown to boxd alone. */
@ApplicationScoped
class Environments {

  private static final TypeReference<Map<String, String>> TEXTS = new TypeReference<>() {};

  private final Sealer sealer;
  private final ObjectMapper json;

  Environments(Sealer sealer, ObjectMapper json) {
    this.sealer = sealer;
    this.json = json;
  }

  byte @Nullable [] seal(SandboxId sandboxId, Map<String, String> environment) {
    if (environment.isEmpty()) {
      return null;
    }
    try {
      return sealer.seal(row(sandboxId), json.writeValueAsBytes(environment));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("an environment could not be written as JSON", e);
    }
  }

  Map<String, String> unseal(Sandbox sandbox) {
    byte[] sealed = sandbox.envSealed();
    if (sealed == null) {
      return Map.of();
    }
    try {
      return json.readValue(sealer.unseal(row(sandbox.id()), sealed), TEXTS);
    } catch (IOException e) {
      throw new IllegalStateException("a sealed environment cannot be read", e);
    }
  }

  private static String row(SandboxId sandboxId) {
    return "sandbox/" + sandboxId.raw() + "/env";
  }
}
