package dev.sandboxer.platform.boot;

import dev.sandboxer.platform.access.AdminKey;
import dev.sandboxer.platform.token.Revocations;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.file.Path;
import java.util.List;

/** Makes a new admin key while the platform is down; the old one ends, with all its tokens. */
@ApplicationScoped
class ResetAdmin implements CommandMode {

  private final AdminKey adminKey;
  private final Revocations revocations;

  ResetAdmin(AdminKey adminKey, Revocations revocations) {
    this.adminKey = adminKey;
    this.revocations = revocations;
  }

  @Override
  public String name() {
    return "reset-admin";
  }

  @Override
  public int run(List<String> arguments) {
    Path file = adminKey.reset((open, id) -> revocations.revoke(open, Revocations.Kind.KEY, id));
    System.out.println("a new admin key is in " + file + "; the one before has ended");
    return 0;
  }
}
