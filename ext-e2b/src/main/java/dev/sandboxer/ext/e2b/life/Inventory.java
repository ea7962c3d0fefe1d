package dev.sandboxer.ext.e2b.life;

import dev.sandboxer.ext.e2b.cloud.Account;
import dev.sandboxer.ext.e2b.cloud.ControlPlane;
import dev.sandboxer.ext.e2b.cloud.Remote;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.InventoryPage;
import dev.sandboxer.spi.InventoryPage.InventoryObject;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Lists this installation's sandboxes of an account, page by page. */
final class Inventory {

  private final ControlPlane cloud;
  private final Labels labels;

  Inventory(ControlPlane cloud, Labels labels) {
    this.cloud = cloud;
    this.labels = labels;
  }

  InventoryPage list(Account account, @Nullable String cursor, Call call)
      throws ExtensionException {
    ControlPlane.Page page =
        cloud.list(account, labels.ofInstallation(), Optional.ofNullable(cursor).orElse(""), call);
    List<InventoryObject> objects = page.sandboxes().stream().flatMap(this::object).toList();
    boolean last = page.next().isEmpty();
    return new InventoryPage(
        "account of host %s at %s".formatted(account.host(), account.api().getAuthority()),
        last,
        objects,
        last ? null : page.next());
  }

  private Stream<InventoryObject> object(Remote remote) {
    return labels.owner(remote).stream()
        .map(
            identity ->
                new InventoryObject(
                    identity,
                    remote.id(),
                    remote.startedAt(),
                    E2bHandle.found(identity, remote.id()).toHandle()));
  }
}
