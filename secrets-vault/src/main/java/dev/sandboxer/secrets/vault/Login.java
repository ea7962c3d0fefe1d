package dev.sandboxer.secrets.vault;

import java.nio.file.Path;

/** How the store gets a token. */
sealed interface Login {

  /**
   * With a token that somebody else has made.
   *
   * @param file that holds it; read again once the token is refused
   */
  record Token(Path file) implements Login {}

  /**
   * By AppRole.
   *
   * @param mount of the method
   * @param roleId of the role
   * @param file with the secret id, or with the token that wraps it
   * @param wrapped whether it is wrapped
   */
  record AppRole(String mount, String roleId, Path file, boolean wrapped) implements Login {}

  /**
   * By a service account of Kubernetes.
   *
   * @param mount of the method
   * @param role of the server's
   * @param jwt file with the account's token; Kubernetes writes it again before its end
   */
  record Kubernetes(String mount, String role, Path jwt) implements Login {}
}
