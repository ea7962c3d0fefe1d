package dev.sandboxer.bench.group;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** TLS of this machine by a certificate of its own, made with the JDK's keytool. */
record SelfSigned(Path folder) implements AutoCloseable {

  private static final String PASSWORD = "bench-password";

  /** A new one. */
  static SelfSigned make() throws IOException, InterruptedException {
    SelfSigned made = new SelfSigned(Files.createTempDirectory("sbxb"));
    made.keytool(
        "-genkeypair -keyalg EC -groupname secp256r1 -dname CN=localhost -validity 2 -ext bc:c -ext san=dns:localhost,ip:127.0.0.1");
    made.keytool("-exportcert -rfc -file " + made.certificate());
    return made;
  }

  /** What clients must trust, PEM. */
  Path certificate() {
    return folder.resolve("certificate.pem");
  }

  private Path store() {
    return folder.resolve("store.p12");
  }

  private void keytool(String options) throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/keytool"));
    command.addAll(List.of(options.split(" ")));
    command.addAll(
        List.of("-alias", "host", "-keystore", store().toString(), "-storepass", PASSWORD));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException("keytool has made nothing: " + said);
    }
  }

  /** TLS of a server with it. */
  SSLContext server() throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store())) {
      store.load(in, PASSWORD.toCharArray());
    }
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, PASSWORD.toCharArray());
    SSLContext tls = SSLContext.getInstance("TLS");
    tls.init(keys.getKeyManagers(), null, null);
    return tls;
  }

  @Override
  public void close() throws IOException {
    Files.deleteIfExists(certificate());
    Files.deleteIfExists(store());
    Files.deleteIfExists(folder);
  }
}
