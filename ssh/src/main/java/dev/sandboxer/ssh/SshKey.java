package dev.sandboxer.ssh;

import java.nio.file.Path;
import java.util.Optional;

/** Our private key, in OpenSSH's, PKCS#8's, PEM's or PuTTY's format. */
public sealed interface SshKey {

  /**
   * The passphrase.
   *
   * @return empty for a key without one
   */
  Optional<String> passphrase();

  /**
   * A file, which is read for each new connection.
   *
   * @param path of the key
   * @param passphrase empty for a key without one
   */
  record InFile(Path path, Optional<String> passphrase) implements SshKey {
    /** Without the secret. */
    @Override
    public String toString() {
      return "InFile[" + path + "]";
    }
  }

  /**
   * The key itself.
   *
   * @param pem what a key file contains
   * @param passphrase empty for a key without one
   */
  record Given(String pem, Optional<String> passphrase) implements SshKey {
    /** Without the secrets. */
    @Override
    public String toString() {
      return "Given[a private key]";
    }
  }
}
