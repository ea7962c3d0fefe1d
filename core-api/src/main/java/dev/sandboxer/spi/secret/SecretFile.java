package dev.sandboxer.spi.secret;

/**
 * A secret of a profile that programs read as a file.
 *
 * @param name of letters, digits and underscores
 * @param content a secret: never part of a command line, an environment, a label, a handle, a
 *     message or a log, and on no disk
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record SecretFile(String name, byte[] content) {

  /** Keeps a copy. */
  public SecretFile {
    content = content.clone();
  }

  /**
   * The secret.
   *
   * @return a copy
   */
  @Override
  public byte[] content() {
    return content.clone();
  }

  @Override
  public String toString() {
    return "secret " + name;
  }
}
