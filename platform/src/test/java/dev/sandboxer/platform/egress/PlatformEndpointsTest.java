package dev.sandboxer.platform.egress;

import static dev.sandboxer.platform.testing.InProcess.asking;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.platform.testing.InProcess;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.net.InetAddress;
import java.net.URI;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What no sandbox reaches, whatever the operator has opened. */
@QuarkusTest
@TestProfile(InProcess.class)
class PlatformEndpointsTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TestHTTPResource
  @SuppressWarnings("NullAway.Init") // set by the framework
  URI base;

  @Inject EgressProxy.Own own;

  @Test
  void aBackendsHostIsOneAsLongAsItIsRegistered() throws Exception {
    InetAddress address = InetAddress.getByName("192.0.2.7");
    String name = "h-" + UUID.randomUUID();
    await()
        .atMost(PATIENCE)
        .until(() -> own.listensAt(InetAddress.getLoopbackAddress(), base.getPort()));
    assertThat(own.listensAt(address, 2376)).isFalse();

    asking()
        .body(
            """
            {"name": "%s", "extension": "ext.process", "address": "tcp://192.0.2.7:2376"}"""
                .formatted(name))
        .post("/v1/hosts")
        .then()
        .statusCode(201);
    try {
      await().atMost(PATIENCE).until(() -> own.listensAt(address, 2376));
      assertThat(own.listensAt(address, 443)).isFalse();
    } finally {
      asking().queryParam("force", true).delete("/v1/hosts/" + name).then().statusCode(204);
    }
    await().atMost(PATIENCE).until(() -> !own.listensAt(address, 2376));
  }
}
