package dev.sandboxer.platform.installation;

/**
 * Encrypts what rests in the database (AES-256-GCM under the master key), bound to the row it
 * stands in.
 */
public interface Sealer {

  /**
   * Encrypts.
   *
   * @param row names table and row, such as {@code sandbox/abc.../env}; additional data
   * @param plain what to keep secret
   * @return version, nonce and ciphertext
   */
  byte[] seal(String row, byte[] plain);

  /**
   * Decrypts.
   *
   * @param row the same text as for {@link #seal}
   * @param sealed from {@link #seal}
   * @return the plain bytes
   * @throws IllegalStateException if the master key or the row is another one, or bytes changed
   */
  byte[] unseal(String row, byte[] sealed);
}
