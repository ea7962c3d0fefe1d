package dev.sandboxer.ext.e2b.life;

import dev.sandboxer.ext.e2b.cloud.Access;
import dev.sandboxer.ext.e2b.cloud.Account;
import dev.sandboxer.ext.e2b.cloud.ControlPlane;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.Probing.Check;
import dev.sandboxer.spi.Probing.Probe;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Tries an account without making a sandbox, which would cost money each time. */
final class Probes {

  /** Nobody has it; the edge says so, which is all that is asked of it. */
  private static final Access NOBODY = new Access("i00000000000000000000", "", "", "");

  private final ControlPlane cloud;
  private final Labels labels;

  Probes(ControlPlane cloud, Labels labels) {
    this.cloud = cloud;
    this.labels = labels;
  }

  Probe of(HostRef host, Call call) {
    List<Check> checks = new ArrayList<>();
    try {
      Account account = Account.of(host);
      int ours = cloud.list(account, labels.ofInstallation(), "", call).sandboxes().size();
      checks.add(
          new Check(
              "api",
              true,
              "%s takes the key; %d%s of this installation's sandboxes are there"
                  .formatted(account.api(), ours, ours >= 100 ? " or more" : ""),
              null));
      edge(account, call, checks);
    } catch (ExtensionException e) {
      boolean key = e.code() == ErrorCode.AUTHORIZATION;
      checks.add(
          new Check(
              key ? "key" : "api",
              false,
              String.valueOf(e.getMessage()),
              key
                  ? "./sandboxer hosts change %s --credential %s=env:NAME"
                      .formatted(host.id(), Account.API_KEY)
                  : null));
    }
    return new Probe(checks.stream().allMatch(Check::ok), Set.of(), checks).withRuntimes(Set.of());
  }

  /** Names and certificates of sandboxes are not those of the API. */
  private void edge(Account account, Call call, List<Check> checks) {
    if (!account.edgeIsKnown()) {
      return; // E2B says it with each sandbox
    }
    try {
      cloud.envd().port(account, NOBODY, Placement.PORT, "/", call);
      checks.add(new Check("edge", true, "sandboxes are reached through E2B's edge", null));
    } catch (ExtensionException e) {
      checks.add(
          new Check(
              "edge",
              false,
              String.valueOf(e.getMessage()),
              "set 'domain' or 'sandbox_url' in settings of the host"));
    }
  }
}
