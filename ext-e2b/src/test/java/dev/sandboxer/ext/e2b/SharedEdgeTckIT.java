package dev.sandboxer.ext.e2b;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.tck.Environment;
import dev.sandboxer.tck.ExtensionTck;
import dev.sandboxer.testing.E2bServer;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.NoSuchAlgorithmException;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** The same where one edge serves all sandboxes, and the server knows no idempotency keys. */
class SharedEdgeTckIT extends ExtensionTck {

  @TempDir private static Path folder;
  private static E2bServer server;
  private static SSLContext usual;

  @BeforeAll
  static void start() throws IOException, GeneralSecurityException {
    server = new E2bServer(folder, "-template", Accounts.SMALL + "=1x256", "-idempotency=false");
    usual = SSLContext.getDefault();
    SSLContext.setDefault(server.trusting());
  }

  @AfterAll
  static void stop() throws NoSuchAlgorithmException {
    try {
      assertThat(server.sandboxes()).isEmpty();
    } finally {
      SSLContext.setDefault(usual);
      server.close();
    }
  }

  @Override
  protected Environment environment() {
    return Environment.of(E2bProvider.class)
        .host(Accounts.shared(server))
        .boxd(Path.of(System.getProperty("sandboxer.boxd", "target/boxd")));
  }
}
