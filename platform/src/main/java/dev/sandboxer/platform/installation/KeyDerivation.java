package dev.sandboxer.platform.installation;

/**
 * Secrets that need not be stored: the same use gives the same bytes for as long as the master key
 * stays, and tells nothing about those of another use. Usable from any thread.
 */
@FunctionalInterface
public interface KeyDerivation {

  /**
   * Derives a secret.
   *
   * @param use names the purpose and whatever the secret belongs to, unambiguously
   * @return 32 bytes
   */
  byte[] derive(String use);
}
