package dev.sandboxer.platform.api.explorer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.platform.testing.InProcess;
import dev.sandboxer.testing.client.Api;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The page {@code /docs}: for this machine only, and worth nothing without a key. */
@QuarkusTest
@TestProfile(InProcess.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ExplorerTest {

  private final Api api = InProcess.api();

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
    String own = api.base().toString();
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
  void aForeignNameForOurAddressGetsNothing() throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), api.base().getPort())) {
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
