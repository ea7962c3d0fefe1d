package dev.sandboxer.testing.registry;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.testing.client.Api;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RegistryServerTest {

  private static final String MANIFEST = RegistryImage.Format.OCI.manifestType();

  @TempDir private Path folder;

  @Test
  void whatWasPushedIsThereForWhoHasTheLoginOfNow() throws Exception {
    try (RegistryServer server = RegistryServer.withLogin(folder, "robot", "first")) {
      RegistryImage image =
          RegistryImage.of(Layer.with("a", "1"), Layer.with("b", "2"))
              .format(RegistryImage.Format.OCI);
      RegistryImage.Pushed pushed = image.push(server, "team/app", "1");
      assertThat(pushed.byTag()).isEqualTo(server.address() + "/team/app:1");
      assertThat(manifest(server, "1", "robot:first"))
          .satisfies(reply -> assertThat(reply.status()).isEqualTo(200))
          .satisfies(reply -> assertThat(reply.text()).contains(pushed.layers()));
      assertThat(manifest(server, pushed.digest(), "robot:first").status()).isEqualTo(200);
      assertThat(manifest(server, "1", "robot:second").status()).isEqualTo(401);

      server.login("robot", "second");
      assertThat(manifest(server, "1", "robot:second").status()).isEqualTo(200);
      assertThat(manifest(server, "1", "robot:first").status()).isEqualTo(401);

      server.kill();
      server.comeBack();
      assertThat(manifest(server, "1", "robot:second").status()).isEqualTo(200);
    }
  }

  @Test
  void oneTagHasImagesOfSeveralArchitectures() throws Exception {
    try (RegistryServer server = RegistryServer.open(folder)) {
      RegistryImage image = RegistryImage.of(Layer.with("a", "1"));
      RegistryImage.Pushed pushed =
          RegistryImage.pushAll(
              server, "app", "1", image.architecture("s390x"), image.architecture("riscv64"));
      assertThat(Files.readString(server.blob(pushed.digest()), UTF_8))
          .contains("s390x", "riscv64");
    }
  }

  private static Api.Reply manifest(RegistryServer server, String reference, String login) {
    return new Api(URI.create("http://" + server.address()), "")
        .get(
            "/v2/team/app/manifests/" + reference,
            "Accept",
            MANIFEST,
            "Authorization",
            "Basic " + Base64.getEncoder().encodeToString(login.getBytes(UTF_8)));
  }
}
