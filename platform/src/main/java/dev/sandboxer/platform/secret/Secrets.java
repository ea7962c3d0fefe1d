package dev.sandboxer.platform.secret;

import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Scheduler;
import dev.sandboxer.platform.access.Tenant;
import dev.sandboxer.platform.access.Tenants;
import dev.sandboxer.platform.installation.Setting;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.spi.secret.SecretException;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jboss.logging.Logger;

/**
 * Reads the secrets of profiles. A value is used for seconds, so that a changed one counts soon,
 * and is kept nowhere else.
 */
@ApplicationScoped
public class Secrets {

  private static final Logger LOG = Logger.getLogger(Secrets.class);

  /** Bytes of one secret. */
  static final int MOST_BYTES = 64 << 10;

  private static final Duration USED_FOR = Duration.ofSeconds(5);
  private static final int MOST_VALUES = 1000;

  private final Tenants tenants;
  private final GrantedSecrets granted;
  private final SecretStores stores;
  private final SecretMetrics metrics;

  /** What is being read is in it too, so that many who want it at once read it once. */
  private final AsyncCache<Key, byte[]> values =
      Caffeine.newBuilder()
          .expireAfterWrite(USED_FOR)
          .scheduler(Scheduler.systemScheduler()) // also where nothing more is read
          .maximumSize(MOST_VALUES)
          .buildAsync();

  Secrets(Tenants tenants, Settings settings, SecretStores stores, SecretMetrics metrics) {
    this.tenants = tenants;
    this.granted = GrantedSecrets.parse(settings.list(Setting.SANDBOXER_GRANTED_SECRETS));
    this.stores = stores;
    this.metrics = metrics;
  }

  /** Says what was granted; a setting that is wrong has ended the start by now. */
  public void start() {
    LOG.infof("secrets granted=%s stores=%s", granted, stores.names());
    granted.stores().stream()
        .filter(store -> !stores.names().contains(store))
        .forEach(
            store ->
                LOG.warnf(
                    "SANDBOXER_GRANTED_SECRETS names the store '%s': there are %s",
                    store, stores.names()));
  }

  private record Key(String tenantId, Reference reference) {}

  /**
   * Reads secrets only to see whether they are there.
   *
   * @param tenantId who wants them
   * @param refs of a profile
   * @throws SecretException for the first that was not granted or cannot be read, with its name
   */
  public void check(String tenantId, List<SecretRef> refs) throws SecretException {
    for (SecretRef ref : refs) {
      if (ref.use() instanceof SecretRef.Use.InFile) {
        var _ = bytes(tenantId, ref);
      } else {
        var _ = text(tenantId, ref);
      }
    }
  }

  /**
   * Reads a secret for a variable or a header.
   *
   * @param tenantId who wants it
   * @param ref of a profile
   * @return the value without a line end behind it
   * @throws SecretException if it was not granted, cannot be read, or is no text
   */
  public String text(String tenantId, SecretRef ref) throws SecretException {
    byte[] bytes = bytes(tenantId, ref);
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      String value = text.replaceFirst("\\R\\z", "");
      if (value.indexOf('\0') < 0) {
        return value;
      }
    } catch (CharacterCodingException e) {
      // As bad as NUL.
    }
    throw SecretException.missing(
        "%s: it is no text in UTF-8; 'use: file' takes any bytes".formatted(named(ref)));
  }

  /**
   * Reads a secret for a file.
   *
   * @param tenantId who wants it
   * @param ref of a profile
   * @return the value; not to be changed
   * @throws SecretException if it was not granted, or cannot be read
   */
  public byte[] bytes(String tenantId, SecretRef ref) throws SecretException {
    Tenant tenant =
        tenants
            .find(tenantId)
            .orElseThrow(() -> SecretException.missing("there is no tenant " + tenantId));
    Reference reference = ref.reference();
    if (!granted.allow(tenant, reference)) {
      throw SecretException.missing(
          "%s is not granted to tenant '%s': the operator grants it with SANDBOXER_GRANTED_SECRETS=%s=%s"
              .formatted(named(ref), tenant.name(), tenant.name(), reference));
    }
    try {
      return read(tenant, reference);
    } catch (SecretException e) {
      String message = "%s: %s".formatted(named(ref), e.getMessage());
      throw e.isAway() ? SecretException.away(message, e) : SecretException.missing(message);
    }
  }

  private byte[] read(Tenant tenant, Reference reference) throws SecretException {
    CompletableFuture<byte[]> value =
        values.get(new Key(tenant.id(), reference), (_, _) -> reading(tenant, reference));
    try {
      return value.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw SecretException.away("interrupted", e);
    } catch (ExecutionException e) {
      throw switch (e.getCause()) {
        case SecretException known -> known;
        case TimeoutException late ->
            SecretException.away("the store took longer than %d s".formatted(seconds()), late);
        case null, default -> SecretException.away("the store itself failed", e);
      };
    }
  }

  /** On a thread of its own, which is left alone where a store takes too long. */
  private CompletableFuture<byte[]> reading(Tenant tenant, Reference reference) {
    CompletableFuture<byte[]> value = new CompletableFuture<>();
    var _ =
        Thread.ofVirtual()
            .name("secret-store-" + reference.store())
            .start(
                () -> {
                  try {
                    value.complete(metrics.timed(reference.store(), () -> now(tenant, reference)));
                  } catch (SecretException | RuntimeException e) {
                    value.completeExceptionally(e);
                  }
                });
    return value.orTimeout(seconds(), TimeUnit.SECONDS);
  }

  private static long seconds() {
    return CalledStore.LONGEST.toSeconds() + 1;
  }

  private byte[] now(Tenant tenant, Reference reference) throws SecretException {
    byte[] value = stores.get(reference.store()).read(tenant, reference.path());
    if (value.length == 0 || value.length > MOST_BYTES) {
      throw SecretException.missing("it must have 1 to %d bytes".formatted(MOST_BYTES));
    }
    return value;
  }

  private static String named(SecretRef ref) {
    return "secret '%s' (%s)".formatted(ref.name(), ref.reference());
  }
}
