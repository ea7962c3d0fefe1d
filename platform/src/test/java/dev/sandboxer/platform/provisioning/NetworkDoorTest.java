package dev.sandboxer.platform.provisioning;

import static dev.sandboxer.platform.testing.InProcess.asking;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.platform.host.Hosts;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.testing.InProcess;
import dev.sandboxer.platform.token.Capability;
import dev.sandboxer.platform.token.TokenMinter;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Figures of the way out are for other nodes alone. */
@QuarkusTest
@TestProfile(InProcess.class)
class NetworkDoorTest {

  private static final SandboxId ID = new SandboxId("abcdefghij0123456789");
  private static final SandboxId OTHER = new SandboxId("bbbbbbbbbb0123456789");

  @TestHTTPResource
  @SuppressWarnings("NullAway.Init") // set by the framework
  URI base;

  @Inject TokenMinter minter;
  @Inject Hosts hosts;

  private int status(String authorization) throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(base.resolve("/internal/v1/network/" + ID.raw() + "/2"));
    if (!authorization.isEmpty()) {
      request.header("Authorization", authorization);
    }
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(request.build(), BodyHandlers.discarding()).statusCode();
    }
  }

  @Test
  void nobodyElseLearnsEvenWhetherASandboxHasOne() throws Exception {
    String node = hosts.node().id();
    String good = minter.peer(node, ID, 2).value();
    assertThat(status("Bearer " + good)).as("no way out is here").isEqualTo(404);
    for (String bad :
        List.of(
            "",
            "Bearer ",
            "Bearer a.b.c",
            "Basic " + good,
            "Bearer " + minter.peer("other", ID, 2).value(),
            "Bearer " + minter.peer(node, OTHER, 2).value(),
            "Bearer " + minter.peer(node, ID, 1).value(),
            "Bearer " + minter.relay(ID, 2, Capability.ADMIN).value())) {
      assertThat(status(bad)).as(bad).isEqualTo(401);
    }
    assertThat(asking().get("/internal/v1/network/" + ID.raw() + "/2").statusCode())
        .as("an administrator's key")
        .isEqualTo(401);
  }
}
