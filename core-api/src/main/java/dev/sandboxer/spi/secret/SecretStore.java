package dev.sandboxer.spi.secret;

import dev.sandboxer.spi.Call;

/** Reads secrets. Usable from any thread. */
public interface SecretStore extends AutoCloseable {

  /**
   * Reads one secret as it is now.
   *
   * @param path what follows the store's name in a reference, such as {@code kv/api#token}
   * @param call deadline and cancellation
   * @return the value, at most a mebibyte
   * @throws SecretException if there is no such secret, or the store cannot be asked
   */
  byte[] read(String path, Call call) throws SecretException;

  /**
   * Looks whether secrets can be read now, for an operator. It changes nothing, and reads none of
   * the secrets.
   *
   * @param call deadline and cancellation
   * @throws SecretException if they cannot; the message says what to do about it
   */
  default void check(Call call) throws SecretException {}

  /** Releases threads and connections, and gives back what the store has lent. */
  @Override
  void close();
}
