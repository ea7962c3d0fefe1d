package dev.sandboxer.platform.archive;

import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.quota.Asked;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import org.jboss.logging.Logger;

/**
 * Takes the bytes of an archive, part by part. Nothing of it stays unless {@link #end} has returned
 * before {@link #close}. For one thread.
 */
public final class ArchiveUpload extends OutputStream {

  private static final Logger LOG = Logger.getLogger(ArchiveUpload.class);
  private static final int PART = 1 << 20;

  private final Archives archives;
  private final Asked asked;
  private final String id;
  private final MessageDigest digest;
  private final byte[] part = new byte[PART];
  private int filled;
  private int number;
  private boolean ended;

  ArchiveUpload(Archives archives, Asked asked, String id) {
    this.archives = archives;
    this.asked = asked;
    this.id = id;
    try {
      this.digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  @Override
  public void write(int one) {
    write(new byte[] {(byte) one}, 0, 1);
  }

  /**
   * Takes bytes.
   *
   * @throws ProblemException TOO_LARGE or QUOTA_EXCEEDED
   */
  @Override
  public void write(byte[] bytes, int from, int count) {
    if ((long) number * PART + filled + count > Archives.MOST_BYTES) {
      throw new ProblemException(
          ErrorCode.TOO_LARGE,
          "an archive has at most %d MiB".formatted(Archives.MOST_BYTES >> 20));
    }
    int at = from;
    int left = count;
    while (left > 0) {
      int fits = Math.min(left, PART - filled);
      System.arraycopy(bytes, at, part, filled, fits);
      filled += fits;
      at += fits;
      left -= fits;
      if (filled == PART) {
        store();
      }
    }
  }

  private void store() {
    byte[] bytes = Arrays.copyOf(part, filled);
    digest.update(bytes);
    archives.add(asked, id, number, bytes);
    number++;
    filled = 0;
  }

  /**
   * All bytes are there.
   *
   * @param expected what the caller says of them
   * @param kept how long it is kept without a sandbox that has it
   * @return the archive, which may be one that the tenant had before
   * @throws ProblemException VALIDATION if these are other bytes, or none
   */
  public StoredArchive end(Optional<String> expected, Duration kept) {
    if (filled > 0) {
      store();
    }
    if (number == 0) {
      throw new ProblemException(ErrorCode.VALIDATION, "the archive is empty");
    }
    byte[] sha256 = digest.digest();
    String found = StoredArchive.digest(sha256);
    if (!expected.orElse(found).equals(found)) {
      throw new ProblemException(
          ErrorCode.VALIDATION,
          "the bytes that came are %s, not %s; send them again".formatted(found, expected.get()));
    }
    StoredArchive archive = archives.complete(asked, id, sha256, kept);
    ended = true;
    return archive;
  }

  /** Gives it up, unless it has ended. */
  @Override
  public void close() {
    if (!ended) {
      try {
        archives.forget(id);
      } catch (RuntimeException e) {
        LOG.warnf("an upload is removed later archive=%s reason=%s", id, e);
      }
    }
  }
}
