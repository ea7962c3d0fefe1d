package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.id.SandboxId;

/** Another worker has the sandbox now; this one may write nothing more. */
class ClaimLostException extends Exception {

  private static final long serialVersionUID = 1L;

  ClaimLostException(SandboxId sandboxId) {
    super("the claim on sandbox " + sandboxId + " was lost");
  }
}
