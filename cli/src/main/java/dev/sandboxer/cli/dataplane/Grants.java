package dev.sandboxer.cli.dataplane;

import dev.sandboxer.cli.client.Api;
import dev.sandboxer.cli.client.Sandboxes;
import dev.sandboxer.dataplane.ConnectionLost;
import dev.sandboxer.dataplane.Grant;
import dev.sandboxer.dataplane.GrantSource;

/**
 * The platform's grants for one sandbox.
 *
 * @param id the sandbox's
 */
public record Grants(Sandboxes sandboxes, String id) implements GrantSource {
  @Override
  public Grant grant() throws InterruptedException {
    try {
      return Grant.of(sandboxes.access(id));
    } catch (Api.Unreachable e) {
      throw new ConnectionLost(e.text(), e);
    }
  }
}
