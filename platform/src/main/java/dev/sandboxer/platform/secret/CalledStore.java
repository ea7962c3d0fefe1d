package dev.sandboxer.platform.secret;

import dev.sandboxer.platform.access.Tenant;
import dev.sandboxer.platform.plugin.PluginCall;
import dev.sandboxer.platform.plugin.PluginContext;
import dev.sandboxer.platform.plugin.PluginKind;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.secret.SecretException;
import dev.sandboxer.spi.secret.SecretProvider;
import dev.sandboxer.spi.secret.SecretStore;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jboss.logging.Logger;

/**
 * A store of the operator's: so many calls at once, each for so long. It is called on virtual
 * threads. What ignores its deadline keeps its place among the calls until it returns.
 */
final class CalledStore implements TenantStore {

  private static final Logger LOG = Logger.getLogger(CalledStore.class);

  /** Of a call, with what it waits for others. */
  static final Duration LONGEST = Duration.ofSeconds(10);

  private static final int AT_ONCE = 16;

  private final String name;
  private final PluginKind<SecretProvider> kind;
  private final SecretStore store;
  private final Semaphore room = new Semaphore(AT_ONCE);
  private final AtomicBoolean away = new AtomicBoolean();

  CalledStore(String name, PluginKind<SecretProvider> kind, SecretStore store) {
    this.name = name;
    this.kind = kind;
    this.store = store;
  }

  @FunctionalInterface
  private interface Work<T> {
    T run(Call call) throws SecretException;
  }

  @Override
  public byte[] read(Tenant tenant, String path) throws SecretException {
    return call(LONGEST, call -> store.read(path, call));
  }

  /** Whether it can be asked now; the exception says why it cannot. */
  void check(Duration limit) throws SecretException {
    var _ =
        call(
            limit,
            call -> {
              store.check(call);
              return true;
            });
  }

  private <T> T call(Duration limit, Work<T> work) throws SecretException {
    long end = System.nanoTime() + limit.toNanos();
    try {
      if (!room.tryAcquire(limit.toNanos(), TimeUnit.NANOSECONDS)) {
        throw SecretException.away(
            "the store is busy: %d calls are under way".formatted(AT_ONCE), null);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw SecretException.away("interrupted", e);
    }
    try (PluginContext _ = kind.enter();
        PluginCall call = new PluginCall(Duration.ofNanos(Math.max(0, end - System.nanoTime())))) {
      T result = work.run(call);
      answers();
      return result;
    } catch (SecretException e) {
      throw noted(e);
    } catch (RuntimeException | LinkageError e) {
      throw noted(SecretException.away("the store itself failed: " + e.getClass().getName(), e));
    } finally {
      room.release();
    }
  }

  private void answers() {
    if (away.getAndSet(false)) {
      LOG.infof("secret store is back store=%s", name);
    }
  }

  private SecretException noted(SecretException e) {
    if (!e.isAway()) {
      answers();
    } else if (!away.getAndSet(true)) {
      LOG.warnf(e.getCause(), "secret store is away store=%s reason=%s", name, e.getMessage());
    }
    return e;
  }

  void close() {
    try (PluginContext _ = kind.enter()) {
      store.close();
    } catch (RuntimeException | LinkageError e) {
      LOG.errorf(e, "secret store does not close store=%s", name);
    }
  }
}
