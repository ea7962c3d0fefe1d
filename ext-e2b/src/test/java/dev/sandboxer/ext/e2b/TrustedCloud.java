package dev.sandboxer.ext.e2b;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.spi.HostRef;
import dev.sandboxer.tck.Environment;
import dev.sandboxer.testing.E2bServer;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import javax.net.ssl.SSLContext;

/**
 * A cloud that all of this process trusts while it runs: the suite asks boxd as any client would.
 */
record TrustedCloud(E2bServer server, SSLContext usual) {

  static TrustedCloud start(Path folder, String... flags)
      throws IOException, GeneralSecurityException {
    TrustedCloud cloud = new TrustedCloud(new E2bServer(folder, flags), SSLContext.getDefault());
    SSLContext.setDefault(cloud.server.trusting());
    return cloud;
  }

  static Environment environment(HostRef account) {
    return Environment.of(E2bProvider.class)
        .host(account)
        .boxd(Path.of(System.getProperty("sandboxer.boxd", "target/boxd")));
  }

  /** Nothing may be left to be paid for. */
  void stop() {
    try {
      assertThat(server.sandboxes()).isEmpty();
    } finally {
      SSLContext.setDefault(usual);
      server.close();
    }
  }
}
