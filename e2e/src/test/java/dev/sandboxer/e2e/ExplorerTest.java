package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.testing.client.Api;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The page {@code /docs}: for this machine only, and worth nothing without a key. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ExplorerTest {

  private Platform platform;
  private Api api;

  @BeforeAll
  void start() {
    platform = Platform.start(Map.of());
    api = platform.api();
  }

  @AfterAll
  void stop() {
    platform.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/docs",
        "/docs/explorer.js",
        "/docs/explorer.css",
        "/docs/swagger-ui.css",
        "/docs/swagger-ui-bundle.js"
      })
  void itsFilesAreServedUnderAStrictPolicy(String path) {
    Api.Reply reply = api.withKey("").get(path);
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    String policy = reply.headers().firstValue("Content-Security-Policy").orElse("");
    assertThat(policy)
        .contains("default-src 'none'", "script-src 'self';", "connect-src 'self'")
        .contains("frame-ancestors 'none'")
        .doesNotContain("unsafe-eval");
    assertThat(reply.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
    assertThat(reply.headers().allValues("Set-Cookie")).isEmpty();
  }

  @Test
  void thePageHoldsNoScriptOfItsOwnAndNothingFromElsewhere() {
    String page = api.withKey("").get("/docs").text();
    assertThat(page).doesNotContain("<script>").doesNotContain("http://", "https://");
    assertThat(api.get("/").json().path("links").path("docs").asText()).isEqualTo("/docs");
  }

  @Test
  void theDescriptionAndTheCallsStillWantAKey() {
    assertThat(api.withKey("").get("/v1/openapi").status()).isEqualTo(401);
    assertThat(api.withKey("").get("/v1/sandboxes").status()).isEqualTo(401);
  }

  @Test
  void thePageMayCallAndAPageOfAnotherPortMayNot() {
    String own = platform.url().toString();
    assertThat(api.post("/v1/tenants", "{\"name\": \"own\"}", "Origin", own).status())
        .isEqualTo(201);
    for (String foreign : new String[] {"http://127.0.0.1:1", "null", "https://evil.example"}) {
      assertThat(api.post("/v1/tenants", "{\"name\": \"f\"}", "Origin", foreign).status())
          .as(foreign)
          .isEqualTo(403);
    }
  }

  @Test
  void otherFilesOfTheClassPathAreNotThere() {
    for (String path :
        new String[] {
          "/docs/application.properties", "/docs/../application.properties", "/docs/x"
        }) {
      assertThat(api.get(path).status()).as(path).isEqualTo(404);
    }
  }

  @Test
  void whereOthersMayReachThePlatformItIsNotThere() throws IOException {
    try (Platform open =
        Platform.start(Map.of("SANDBOXER_PUBLIC_URL", "http://sandboxes.example"))) {
      assertThat(open.api().get("/docs").status()).isEqualTo(404);
      assertThat(open.api().get("/docs/swagger-ui-bundle.js").status()).isEqualTo(404);
      assertThat(open.api().get("/").json().path("links").has("docs")).isFalse();
      assertThat(
              open.api()
                  .post("/v1/tenants", "{\"name\": \"t\"}", "Origin", open.url().toString())
                  .status())
          .as("and its own origin counts no more than another")
          .isEqualTo(403);
    }
  }

  @Test
  void aForeignNameForOurAddressGetsNothing() throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), platform.url().getPort())) {
      socket
          .getOutputStream()
          .write(
              "GET /docs HTTP/1.1\r\nHost: rebound.example\r\nConnection: close\r\n\r\n"
                  .getBytes(StandardCharsets.US_ASCII));
      InputStream answer = socket.getInputStream();
      assertThat(new String(answer.readAllBytes(), StandardCharsets.UTF_8))
          .startsWith("HTTP/1.1 403");
    }
  }
}
