package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.installation.SealedTexts;
import dev.sandboxer.platform.profile.Setup;
import dev.sandboxer.platform.sandbox.Sandbox;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Map;
import java.util.TreeMap;
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

  /**
   * What the steps of a profile's setup have of it: the variables that the profile itself names.
   */
  Map<String, String> ofSetup(Sandbox sandbox, Setup setup) {
    Map<String, String> own = new TreeMap<>(unseal(sandbox));
    own.keySet().retainAll(setup.variables());
    return own;
  }

  private static String row(SandboxId sandboxId) {
    return "sandbox/" + sandboxId.raw() + "/env";
  }
}
