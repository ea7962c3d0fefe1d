package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.installation.SealedTexts;
import dev.sandboxer.platform.sandbox.Sandbox;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The environment of a sandbox: sealed at rest, shown to boxd alone. */
@ApplicationScoped
class Environments {

  private final SealedTexts texts;

  Environments(SealedTexts texts) {
    this.texts = texts;
  }

  byte @Nullable [] seal(SandboxId sandboxId, Map<String, String> environment) {
    return texts.seal(row(sandboxId), environment);
  }

  Map<String, String> unseal(Sandbox sandbox) {
    return texts.unseal(row(sandbox.id()), sandbox.envSealed());
  }

  private static String row(SandboxId sandboxId) {
    return "sandbox/" + sandboxId.raw() + "/env";
  }
}
