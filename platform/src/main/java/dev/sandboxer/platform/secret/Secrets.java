package dev.sandboxer.platform.secret;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Scheduler;
import dev.sandboxer.platform.access.Tenant;
import dev.sandboxer.platform.access.Tenants;
import dev.sandboxer.platform.installation.Environment;
import dev.sandboxer.platform.installation.Home;
import dev.sandboxer.platform.installation.Setting;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.spi.secret.SecretException;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

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
  private final Map<String, TenantStore> stores;
  private final Cache<Key, byte[]> values =
      Caffeine.newBuilder()
          .expireAfterWrite(USED_FOR)
          .scheduler(Scheduler.systemScheduler()) // also where nothing more is read
          .maximumSize(MOST_VALUES)
          .build();

  Secrets(Tenants tenants, Settings settings, Environment environment, Home home) {
    this.tenants = tenants;
    this.granted = GrantedSecrets.parse(settings.list(Setting.SANDBOXER_GRANTED_SECRETS));
    this.stores =
        Map.of(
            Reference.ENV, new EnvironmentSecrets(environment),
            Reference.FILE, new FileSecrets(home.resolve("secrets")));
  }

  /** Says what was granted; a setting that is wrong has ended the start by now. */
  public void start() {
    LOG.infof("secrets granted=%s", granted);
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
    Key key = new Key(tenant.id(), reference);
    byte @Nullable [] known = values.getIfPresent(key);
    if (known != null) {
      return known;
    }
    byte[] read = read(tenant, ref);
    values.put(key, read);
    return read;
  }

  private byte[] read(Tenant tenant, SecretRef ref) throws SecretException {
    Reference reference = ref.reference();
    @Nullable TenantStore store = stores.get(reference.store());
    if (store == null) {
      throw SecretException.missing(
          "%s: there is no store '%s'; there are %s"
              .formatted(
                  named(ref), reference.store(), stores.keySet().stream().sorted().toList()));
    }
    byte[] value;
    try {
      value = store.read(tenant, reference.path());
    } catch (SecretException e) {
      String message = "%s: %s".formatted(named(ref), e.getMessage());
      throw e.isAway() ? SecretException.away(message, e) : SecretException.missing(message);
    }
    if (value.length == 0 || value.length > MOST_BYTES) {
      throw SecretException.missing(
          "%s: it must have 1 to %d bytes".formatted(named(ref), MOST_BYTES));
    }
    return value;
  }

  private static String named(SecretRef ref) {
    return "secret '%s' (%s)".formatted(ref.name(), ref.reference());
  }
}
