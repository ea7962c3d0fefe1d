package dev.sandboxer.platform.volume;

import dev.sandboxer.platform.sandbox.ExtensionId;
import dev.sandboxer.spi.HostRef;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A volume's record.
 *
 * @param id what its backend knows it by
 * @param tenantId owner
 * @param name the tenant's name for it
 * @param extension backend
 * @param host where it is, for ever
 * @param sizeBytes its limit
 * @param state of the record
 * @param failureCode why it could not be made, or its last removal failed; null if it did not
 * @param failureMessage the same for a person
 * @param tries how often its removal has failed
 * @param claimToken fencing token of the work on it
 * @param createdAt when it was recorded
 */
public record Volume(
    String id,
    String tenantId,
    String name,
    ExtensionId extension,
    HostRef host,
    long sizeBytes,
    State state,
    @Nullable String failureCode,
    @Nullable String failureMessage,
    int tries,
    long claimToken,
    Instant createdAt) {

  /** What is known of it. */
  public enum State {
    /** Its backend is to make it. */
    MAKING,
    /** It can be mounted. */
    READY,
    /** It could not be made; it can be deleted. */
    FAILED,
    /** Its backend is to remove it, for as long as that takes. */
    REMOVING;

    /**
     * The name in database and JSON.
     *
     * @return lower case
     */
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
