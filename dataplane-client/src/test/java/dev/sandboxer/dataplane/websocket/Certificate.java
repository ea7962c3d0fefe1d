package dev.sandboxer.dataplane.websocket;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A certificate that nobody has signed, for localhost by name. */
final class Certificate {
  private static final String PASSWORD = "changeit";

  private final KeyStore store;

  private Certificate(KeyStore store) {
    this.store = store;
  }

  static Certificate forLocalhost(Path folder) throws Exception {
    Path file = folder.resolve("keys.p12");
    Path keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
    Process made =
        new ProcessBuilder(
                keytool.toString(),
                "-genkeypair",
                "-keystore",
                file.toString(),
                "-storepass",
                PASSWORD,
                "-keyalg",
                "EC",
                "-alias",
                "a",
                "-dname",
                "CN=localhost",
                "-ext",
                "san=dns:localhost")
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    if (made.waitFor() != 0) {
      throw new IllegalStateException("keytool ended with " + made.exitValue());
    }
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      store.load(in, PASSWORD.toCharArray());
    }
    return new Certificate(store);
  }

  ServerSocket listen() throws GeneralSecurityException, IOException {
    KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
    keys.init(store, PASSWORD.toCharArray());
    SSLContext tls = SSLContext.getInstance("TLS");
    tls.init(keys.getKeyManagers(), null, null);
    return tls.getServerSocketFactory().createServerSocket(0, 50, InetAddress.getLoopbackAddress());
  }

  /** A client that trusts it. */
  WebSockets trusted() throws GeneralSecurityException, IOException {
    KeyStore known = KeyStore.getInstance("PKCS12");
    known.load(null, null);
    known.setCertificateEntry("a", store.getCertificate("a"));
    TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
    trust.init(known);
    return new WebSockets(trust);
  }
}
