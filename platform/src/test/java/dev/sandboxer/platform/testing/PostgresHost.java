package dev.sandboxer.platform.testing;

import dev.sandboxer.platform.database.EmbeddedPostgres;
import dev.sandboxer.platform.installation.Home;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/** A process that runs an embedded database until it is killed. */
public final class PostgresHost {

  private PostgresHost() {}

  /**
   * Prints the server's process id, then waits for ever.
   *
   * @param arguments the home
   * @throws InterruptedException never
   */
  public static void main(String... arguments) throws InterruptedException {
    EmbeddedPostgres postgres =
        EmbeddedPostgres.start(Home.open(Path.of(arguments[0])), TestHome.sharedCache());
    System.out.println(postgres.pid());
    new CountDownLatch(1).await();
    postgres.close();
  }
}
