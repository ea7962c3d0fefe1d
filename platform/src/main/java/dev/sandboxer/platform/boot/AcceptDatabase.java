package dev.sandboxer.platform.boot;

import dev.sandboxer.platform.installation.InstallationStore;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;

/** The operator's word that database and home belong together, after a restore. */
@ApplicationScoped
class AcceptDatabase implements CommandMode {

  private final InstallationStore store;

  AcceptDatabase(InstallationStore store) {
    this.store = store;
  }

  @Override
  public String name() {
    return "accept-database";
  }

  @Override
  public int run(List<String> arguments) {
    store.accept();
    System.out.println("this home now belongs to the database's installation");
    return 0;
  }
}
