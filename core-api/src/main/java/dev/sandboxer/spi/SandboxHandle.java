package dev.sandboxer.spi;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What an extension needs to find its sandbox again. Opaque to the platform, which stores it.
 *
 * @param version of the format; an extension reads every version it ever wrote
 * @param data at most 16 KiB of text, no secrets; operators may see it
 * @param secret encrypted at rest and shown nowhere, null if there is none
 */
@SuppressWarnings("ArrayRecordComponent") // copied in and out, compared by content
public record SandboxHandle(int version, String data, byte @Nullable [] secret) {

  private static final int MAX_DATA = 16 * 1024;

  /** Checks the values and keeps a copy. */
  public SandboxHandle {
    if (version < 1) {
      throw new IllegalArgumentException("handle version " + version + " must be at least 1");
    }
    if (data.length() > MAX_DATA) {
      throw new IllegalArgumentException("handle data is longer than " + MAX_DATA + " characters");
    }
    secret = secret == null ? null : secret.clone();
  }

  /**
   * A handle without a secret.
   *
   * @param version of the format
   * @param data what to store
   * @return the handle
   */
  public static SandboxHandle of(int version, String data) {
    return new SandboxHandle(version, data, null);
  }

  @Override
  public byte @Nullable [] secret() {
    return secret == null ? null : secret.clone();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof SandboxHandle that
        && version == that.version
        && data.equals(that.data)
        && Arrays.equals(secret, that.secret);
  }

  @Override
  public int hashCode() {
    return 31 * data.hashCode() + version;
  }

  @Override
  public String toString() {
    return "SandboxHandle[version=" + version + ", data=" + data + "]";
  }
}
