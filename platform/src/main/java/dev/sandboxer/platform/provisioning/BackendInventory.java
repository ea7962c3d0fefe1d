package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.extension.CallLimits;
import dev.sandboxer.platform.extension.ExtensionCalls;
import dev.sandboxer.platform.sandbox.ExtensionId;
import dev.sandboxer.spi.CleanupReport;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.InventoryPage;
import dev.sandboxer.spi.InventoryPage.InventoryObject;
import dev.sandboxer.spi.InventoryQuery;
import dev.sandboxer.spi.TeardownTarget;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What backends list as this installation's, and its removal. */
@ApplicationScoped
public class BackendInventory {

  private static final CallLimits PAGE = CallLimits.of(Duration.ofSeconds(30));

  private final ExtensionCalls calls;
  private final ExtensionFigures figures;

  BackendInventory(ExtensionCalls calls, ExtensionFigures figures) {
    this.calls = calls;
    this.figures = figures;
  }

  /**
   * Asks for one page. Blocks; never inside a transaction.
   *
   * @param extension whom to ask
   * @param host where
   * @param cursor of the page before, null for the first
   * @return the page
   * @throws ExtensionException typed
   */
  public InventoryPage page(ExtensionId extension, HostRef host, @Nullable String cursor)
      throws ExtensionException {
    return figures.of(
        "inventory",
        extension,
        host,
        () ->
            calls.call(
                extension.text(),
                host,
                "inventory",
                PAGE,
                (backend, call) ->
                    Objects.requireNonNull(
                        backend.inventory(new InventoryQuery(call.host(), cursor), call))));
  }

  /**
   * Tears down one object that was listed, and no other of its identity. Blocks; never inside a
   * transaction.
   *
   * @param extension whose object it is
   * @param host where
   * @param object as listed
   * @return what was removed, and what is left
   * @throws ExtensionException typed
   */
  public CleanupReport remove(ExtensionId extension, HostRef host, InventoryObject object)
      throws ExtensionException {
    return figures.of(
        "teardown",
        extension,
        host,
        () ->
            calls.call(
                extension.text(),
                host,
                "teardown",
                Backends.TEARDOWN,
                (backend, call) ->
                    Objects.requireNonNull(
                        backend.teardown(
                            new TeardownTarget.ByHandle(object.identity(), object.handle()),
                            call))));
  }
}
