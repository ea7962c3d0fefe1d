package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.client.WebhookReceiver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who is called by https must have a certificate for its name from somebody who is trusted. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PrivateAuthorityTest {

  private static final String HOST = "hooks.example.test";
  private static final String NAME = "dns:" + HOST;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private Authority authority;
  private WebhookReceiver hub;
  private Platform platform;
  private Api api;

  @BeforeAll
  void start() throws IOException {
    authority = Authority.make("ours");
    hub = WebhookReceiver.start(authority.server(NAME));
    platform = Platform.start(settings(authority.certificate()));
    api = platform.api();
  }

  /** The name is known to the platform's own process alone. */
  private Map<String, String> settings(Path certificates) throws IOException {
    Path hosts = Files.createTempFile("sbxe", ".hosts");
    Files.writeString(hosts, "127.0.0.1 localhost " + HOST + "\n");
    hosts.toFile().deleteOnExit();
    Map<String, String> settings = new HashMap<>();
    settings.put("JAVA_TOOL_OPTIONS", "-Djdk.net.hosts.file=" + hosts);
    settings.put("SANDBOXER_NODE", "only");
    settings.put("SANDBOXER_CA_FILE", certificates.toString());
    settings.put("SANDBOXER_WEBHOOK_ALLOW", "127.0.0.1");
    settings.put("SANDBOXER_STATE_HUB_URL", hub.url(HOST));
    return settings;
  }

  @AfterAll
  void stop() {
    platform.close();
    hub.close();
    authority.close();
  }

  private JsonNode tried(WebhookReceiver receiver, String host) {
    String path =
        "/v1/webhooks/"
            + api.post("/v1/webhooks", "{\"url\": \"%s\"}".formatted(receiver.url(host)))
                .field("/id");
    assertThat(api.post(path + "/test", "{}").status()).isEqualTo(200);
    JsonNode log = api.get(path + "/deliveries").json().at("/items/0");
    assertThat(api.delete(path).status()).isEqualTo(200);
    return log;
  }

  @Test
  void aReceiverOfThePrivateAuthorityIsCalledByItsNameAtTheAddressThatWasChecked() {
    try (WebhookReceiver receiver = WebhookReceiver.start(authority.server(NAME))) {
      JsonNode log = tried(receiver, HOST);
      assertThat(log.path("error").isNull()).as(log.toString()).isTrue();
      assertThat(log.path("status").asInt()).isEqualTo(204);
      assertThat(receiver.got())
          .extracting(WebhookReceiver.Delivery::type)
          .containsExactly("webhook.test");
      assertThat(receiver.namesAsked()).as("SNI").containsExactly(HOST);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "dns:other.example.test, , certificate is for another name than the URL's",
    "ip:127.0.0.1, , certificate is for another name than the URL's",
    "dns:hooks.example.test, -3d, certificate has expired",
    "dns:hooks.example.test, +3d, certificate is not valid yet"
  })
  void aWrongCertificateIsRefusedWithItsReason(String name, String begins, String reason) {
    SSLContext tls =
        begins == null
            ? authority.server(name)
            : authority.server(name, "-startdate", begins, "-validity", "1");
    refused(tls, "the receiver's " + reason);
  }

  @ParameterizedTest
  @ValueSource(strings = {"stranger", "ours"})
  void aStrangersSignatureDoesNotCountWhateverItsName(String name) {
    try (Authority stranger = Authority.make(name)) {
      refused(
          stranger.server(NAME),
          "the receiver's certificate is not signed by an authority that the platform trusts");
    }
  }

  private void refused(SSLContext tls, String reason) {
    try (WebhookReceiver receiver = WebhookReceiver.start(tls)) {
      JsonNode log = tried(receiver, HOST);
      assertThat(log.path("error").asText()).isEqualTo(reason);
      assertThat(log.path("status").isNull()).isTrue();
      assertThat(receiver.got()).isEmpty();
    }
  }

  @Test
  void theHubIsTrustedByTheSameFile() {
    String id = api.ready().path("id").asText();
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                hub.got().stream()
                    .map(told -> told.json())
                    .filter(told -> told.at("/detail/sandbox_id").asText().equals(id))
                    .anyMatch(told -> told.at("/detail/type").asText().equals("sandbox.ready")));
    assertThat(hub.namesAsked()).containsOnly(HOST);
  }

  @ParameterizedTest
  @CsvSource({
    "'', there is no certificate in it",
    "nothing to trust, it must hold certificates",
    "'-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n', it must hold"
  })
  void aFileWithoutCertificatesStopsTheStart(String text, String reason) throws IOException {
    Path file = Files.createTempFile("sbxe", ".pem");
    Files.writeString(file, text);
    assertThat(started(file)).contains("SANDBOXER_CA_FILE=" + file, reason);
    Files.delete(file);
  }

  @Test
  void aFileThatIsNotThereStopsTheStart() {
    assertThat(started(Path.of("/no/such.pem"))).contains("=/no/such.pem", "cannot be read");
  }

  private static String started(Path file) {
    Platform.Ended refused = Platform.refused(Map.of("SANDBOXER_CA_FILE", file.toString()));
    assertThat(refused.exit()).isNotZero();
    return refused.log();
  }
}
