package dev.sandboxer.platform.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.platform.dataplane.DataplaneTargets.Target;
import dev.sandboxer.platform.dataplane.wire.Transport;
import dev.sandboxer.spi.DataplaneAddress;
import dev.sandboxer.spi.DataplaneAddress.HttpsBase;
import dev.sandboxer.spi.DataplaneAddress.Trust;
import java.io.IOException;
import java.math.BigInteger;
import java.net.URI;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Date;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.TrustManagerFactory;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.junit.jupiter.api.Test;

/** Whom the relay trusts over TLS, and what it sends there. */
class TlsTest {

  private static final String REPLY = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";

  @Test
  void another_key_than_the_pinned_one_gets_no_request() throws Exception {
    try (RelayHarness relay = new RelayHarness();
        HostileBoxd boxd = HostileBoxd.answering(Via.TLS, 2, REPLY)) {
      relay.put(1, 0, boxd.address());
      assertThat(health(relay).statusCode()).isEqualTo(502);
      assertThat(health(relay).body()).contains("certificate");
      assertThat(boxd.heads()).isEmpty();

      relay.put(2, 0, boxd.address());
      assertThat(health(relay, 2).body()).isEqualTo("hi");
    }
  }

  @Test
  void a_pinned_server_must_speak_tls_13() throws Exception {
    SSLServerSocket older =
        HostileBoxd.listening(
            TestCertificates.server(TestCertificates.ALL.pair(RelayHarness.ID, 1)));
    older.setEnabledProtocols(new String[] {"TLSv1.2"});
    try (RelayHarness relay = new RelayHarness();
        HostileBoxd boxd =
            new HostileBoxd(
                older, https("127.0.0.1", older, Map.of(), Trust.PINNED), TlsTest::answer)) {
      relay.put(1, 0, boxd.address());
      assertThat(health(relay).statusCode()).isEqualTo(502);
      assertThat(boxd.heads()).isEmpty();
    }
  }

  @Test
  void an_edge_is_known_by_its_name_and_the_authorities() throws Exception {
    Edge edge = Edge.named("localhost");
    SSLServerSocket listening = HostileBoxd.listening(edge.server());
    DataplaneAddress right =
        https("localhost", listening, Map.of("X-Access-Key", "of the edge"), Trust.AUTHORITIES);
    try (RelayHarness relay = new RelayHarness(Optional.of(edge.trust()), java.time.Duration.ZERO);
        RelayHarness stranger = new RelayHarness();
        HostileBoxd boxd = new HostileBoxd(listening, right, TlsTest::answer)) {
      relay.put(1, 0, right);
      assertThat(health(relay).body()).isEqualTo("hi");
      assertThat(boxd.heads().getFirst())
          .startsWith("GET /some/sandbox/v1/health HTTP/1.1\r\n")
          .contains("\r\nHost: localhost:" + listening.getLocalPort() + "\r\n")
          .contains("\r\nX-Access-Key: of the edge\r\n")
          .containsOnlyOnce("X-Access-Key");

      relay.put(1, 0, https("127.0.0.1", listening, Map.of(), Trust.AUTHORITIES));
      assertThat(health(relay).statusCode()).isEqualTo(502);
      stranger.put(1, 0, right);
      assertThat(health(stranger).statusCode()).isEqualTo(502);
      assertThat(boxd.heads()).hasSize(1);
    }
  }

  @Test
  void another_node_is_known_by_its_name_and_the_authorities() throws Exception {
    Edge edge = Edge.named("localhost");
    SSLServerSocket listening = HostileBoxd.listening(edge.server());
    Transport right = peer("localhost", listening);
    try (RelayHarness relay = new RelayHarness(Optional.of(edge.trust()), java.time.Duration.ZERO);
        RelayHarness stranger = new RelayHarness();
        HostileBoxd node =
            new HostileBoxd(
                listening,
                https("localhost", listening, Map.of(), Trust.AUTHORITIES),
                TlsTest::openAndAnswer)) {
      put(relay, right);
      assertThat(health(relay).body()).isEqualTo("hi");
      assertThat(node.heads().getFirst())
          .startsWith("GET /internal/v1/boxd/" + RelayHarness.ID + "/1 HTTP/1.1\r\n")
          .contains("\r\nHost: localhost:" + listening.getLocalPort() + "\r\n")
          .contains("\r\nUpgrade: sandboxer-boxd\r\n");

      put(relay, peer("127.0.0.1", listening));
      assertThat(health(relay).statusCode()).isEqualTo(502);
      put(stranger, right);
      assertThat(health(stranger).statusCode()).isEqualTo(502);
      assertThat(node.heads()).hasSize(1);
    }
  }

  private static Transport peer(String host, SSLServerSocket server) {
    return new Transport.Peer("two", URI.create("https://" + host + ":" + server.getLocalPort()));
  }

  private static void put(RelayHarness relay, Transport transport) {
    relay.targets.known.put(
        RelayHarness.ID, new Target(RelayHarness.ID, RelayHarness.TENANT, 1, 0, transport));
  }

  private static void openAndAnswer(java.io.InputStream in, java.io.OutputStream out)
      throws IOException {
    out.write(
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: sandboxer-boxd\r\n\r\n"
            .getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    out.flush();
    assertThat(in.read()).isEqualTo('G'); // the relay's own request
    answer(in, out);
  }

  private static void answer(java.io.InputStream in, java.io.OutputStream out) throws IOException {
    out.write(REPLY.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    in.transferTo(java.io.OutputStream.nullOutputStream());
  }

  private static DataplaneAddress https(
      String host, SSLServerSocket server, Map<String, String> headers, Trust trust) {
    URI base = URI.create("https://" + host + ":" + server.getLocalPort() + "/some/sandbox/");
    return new HttpsBase(base, headers, trust);
  }

  private static HttpResponse<String> health(RelayHarness relay) throws Exception {
    return health(relay, 1);
  }

  private static HttpResponse<String> health(RelayHarness relay, int generation) throws Exception {
    String token = relay.token(generation, 0, dev.sandboxer.platform.token.Capability.EXEC);
    return relay.http.send(
        java.net.http.HttpRequest.newBuilder(relay.uri("/v1/health"))
            .header("Authorization", "Bearer " + token)
            .build(),
        BodyHandlers.ofString());
  }

  /** A provider's server with a certificate of its own. */
  private record Edge(KeyPair keys, X509Certificate certificate) {

    static Edge named(String host) throws Exception {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(256);
      KeyPair keys = generator.generateKeyPair();
      X500Name name = new X500Name("CN=" + host);
      Instant now = Instant.now();
      JcaX509v3CertificateBuilder builder =
          new JcaX509v3CertificateBuilder(
              name,
              BigInteger.ONE,
              Date.from(now.minusSeconds(60)),
              Date.from(now.plusSeconds(3600)),
              name,
              keys.getPublic());
      builder.addExtension(
          Extension.subjectAlternativeName,
          false,
          new GeneralNames(new GeneralName(GeneralName.dNSName, host)));
      return new Edge(
          keys,
          new JcaX509CertificateConverter()
              .getCertificate(
                  builder.build(
                      new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate()))));
    }

    SSLContext server() {
      return TestCertificates.server(keys.getPrivate(), certificate);
    }

    TrustManagerFactory trust() throws Exception {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, null);
      store.setCertificateEntry("edge", certificate);
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init(store);
      return factory;
    }
  }
}
