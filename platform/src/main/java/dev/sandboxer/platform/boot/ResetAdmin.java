package dev.sandboxer.platform.boot;

import dev.sandboxer.platform.access.AdminKey;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;

/** Makes a new admin key while the platform is down; the old one ends. */
@ApplicationScoped
class ResetAdmin implements CommandMode {

  private final AdminKey adminKey;

  ResetAdmin(AdminKey adminKey) {
    this.adminKey = adminKey;
  }

  @Override
  public String name() {
    return "reset-admin";
  }

  @Override
  public int run(List<String> arguments) {
    System.out.println("a new admin key is in " + adminKey.reset() + "; the one before has ended");
    return 0;
  }
}
