package dev.sandboxer.platform.secret;

import dev.sandboxer.platform.installation.Environment;
import dev.sandboxer.platform.installation.Home;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.platform.plugin.Plugin;
import dev.sandboxer.platform.plugin.Plugins;
import dev.sandboxer.spi.secret.SecretException;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * Where secrets are read: {@code env} and {@code file}, and what the folders {@code secret-stores}
 * of the distribution and the home set up.
 */
@ApplicationScoped
public class SecretStores {

  private static final Duration CHECK = Duration.ofSeconds(3);
  private static final Duration GOOD_FOR = Duration.ofSeconds(5);

  private final Map<String, TenantStore> builtIn;
  private final List<Plugin<CalledStore>> plugged;
  private List<SecretStoreStatus> checked = List.of();
  private long checkedAt = System.nanoTime() - GOOD_FOR.toNanos();

  SecretStores(Environment environment, Home home, Settings settings) {
    this.builtIn =
        Map.of(
            Reference.ENV, new EnvironmentSecrets(environment),
            Reference.FILE, new FileSecrets(home.resolve("secrets")));
    this.plugged = Plugins.load(new SecretStoreSort(), home, settings);
  }

  /** Every store's name, also of one that failed. */
  List<String> names() {
    List<String> names = new ArrayList<>(builtIn.keySet());
    plugged.forEach(store -> names.add(store.id()));
    return names.stream().sorted().toList();
  }

  /** The store of a name. */
  TenantStore get(String name) throws SecretException {
    @Nullable TenantStore store = builtIn.get(name);
    if (store != null) {
      return store;
    }
    for (Plugin<CalledStore> one : plugged) {
      if (one.id().equals(name)) {
        return one.made()
            .orElseThrow(
                () ->
                    SecretException.away(
                        "the store was not loaded; GET /v1/secret-stores says why", null));
      }
    }
    throw SecretException.missing("there is no store '%s'; there are %s".formatted(name, names()));
  }

  /**
   * How the operator's stores fare, as they were a few seconds ago at most. Each is asked, those
   * that do not answer for three seconds.
   *
   * @return in order of names, then folders of jars that failed
   */
  public synchronized List<SecretStoreStatus> status() {
    if (System.nanoTime() - checkedAt >= GOOD_FOR.toNanos()) {
      checked = check();
      checkedAt = System.nanoTime();
    }
    return checked;
  }

  private List<SecretStoreStatus> check() {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      return plugged.stream()
          .map(one -> CompletableFuture.supplyAsync(() -> check(one), threads))
          .toList()
          .stream()
          .map(CompletableFuture::join)
          .toList();
    }
  }

  private static SecretStoreStatus check(Plugin<CalledStore> one) {
    if (one.made().isEmpty()) {
      return SecretStoreStatus.failed(one.id(), one.kind(), one.reason().orElseThrow());
    }
    try {
      one.made().get().check(CHECK);
      return SecretStoreStatus.up(one.id(), one.kind());
    } catch (SecretException e) {
      return SecretStoreStatus.away(one.id(), one.kind(), String.valueOf(e.getMessage()));
    }
  }

  @PreDestroy
  void close() {
    plugged.forEach(one -> one.made().ifPresent(CalledStore::close));
  }
}
