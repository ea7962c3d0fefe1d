package dev.sandboxer.ext.e2b;

import dev.sandboxer.tck.Environment;
import dev.sandboxer.tck.ExtensionTck;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** The same where one edge serves all sandboxes, and the server knows no idempotency keys. */
class SharedEdgeTckIT extends ExtensionTck {

  @TempDir private static Path folder;
  private static TrustedCloud cloud;

  @BeforeAll
  static void start() throws IOException, GeneralSecurityException {
    cloud =
        TrustedCloud.start(folder, "-template", Accounts.SMALL + "=1x256", "-idempotency=false");
  }

  @AfterAll
  static void stop() {
    cloud.stop();
  }

  @Override
  protected Environment environment() {
    return TrustedCloud.environment(Accounts.shared(cloud.server()));
  }
}
