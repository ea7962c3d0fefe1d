package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** The page {@code /docs} is for this machine only. */
class ExplorerTest {

  @Test
  void whereOthersMayReachThePlatformItIsNotThere() {
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
}
