package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.testing.E2bServer;
import dev.sandboxer.testing.client.Api;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A platform with an account, the host {@code rented}, at a counterpart of E2B. Its profiles are
 * {@code rented}, and {@code anywhere}, which prefers the own machine.
 */
final class RentingPlatform implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(100);
  private static final String LIMITS =
      "best_effort: [uid, cpus, memory, pids, workspace, tmp, open_files]\n";

  private final Map<String, String> settings;
  private final E2bServer server;
  private final Platform platform;

  /**
   * Starts both.
   *
   * @param more settings of the platform
   * @param sandboxes how many the account may have
   */
  RentingPlatform(Map<String, String> more, int sandboxes) {
    try {
      Path folder = Files.createTempDirectory("sbxr");
      server = new E2bServer(folder.resolve("cloud"));
      settings = new HashMap<>(more);
      settings.put("SANDBOXER_CA_FILE", server.authority().toString());
      Path home = Prepared.home();
      Path profiles = Files.createDirectories(home.resolve("profiles"));
      Files.writeString(
          profiles.resolve("rented.yaml"),
          "id: profile.rented\nversion: 1\nextension: ext.e2b\nisolation: {level: vm}\n" + LIMITS);
      Files.writeString(
          profiles.resolve("anywhere.yaml"),
          "id: profile.anywhere\nversion: 1\nrouting: {candidates: [ext.nsjail, ext.e2b]}\n"
              + LIMITS);
      Path key = Files.writeString(folder.resolve("key"), server.key());
      platform = Platform.startThrough(List.of(), home, Platform.dist(), settings);
      add(key, sandboxes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    awaitHost();
  }

  private void add(Path key, int sandboxes) {
    Api.Reply added =
        api()
            .post(
                "/v1/hosts",
                """
                {"name": "rented", "extension": "ext.e2b", "address": "%s", "region": "eu-west",
                 "settings": {"sandbox_url": "%s", "ca_file": "%s"},
                 "credentials": {"api_key": "file:%s"}, "capacity": {"sandboxes": %d}}
                """
                    .formatted(server.url(), server.url(), server.authority(), key, sandboxes));
    assertThat(added.status()).as(added.text()).isEqualTo(201);
  }

  private void awaitHost() {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              Api.Reply host = api().get("/v1/hosts/rented");
              assertThat(host.field("/state")).as(host.text()).isEqualTo("ready");
            });
  }

  E2bServer server() {
    return server;
  }

  Platform platform() {
    return platform;
  }

  Api api() {
    return platform.api();
  }

  /** Starts the platform that was killed, and waits until the account is known to work. */
  void restart() {
    platform.restart(settings);
    awaitHost();
  }

  @Override
  public void close() {
    platform.close();
    server.close();
  }
}
