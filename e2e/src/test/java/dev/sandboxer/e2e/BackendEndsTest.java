package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.faulty.Extended;
import dev.sandboxer.testing.faulty.FaultyBackend;
import dev.sandboxer.testing.faulty.Whim;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Who has a backend's own end moved: the platform after a restart, and one of two nodes. */
class BackendEndsTest {

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @Test
  void aRestartedPlatformGoesOn() {
    FaultyPlatform faulty = new FaultyPlatform("faulty");
    try (Platform platform = faulty.start()) {
      faulty.routed(platform);
      FaultyBackend backend = faulty.backend(platform, "faulty");
      backend.whim(Whim.GRANTS_AT_MOST, "4");
      String id = platform.api().ready(faulty.profile("faulty")).path("id").asText();
      awaitExtended(backend, id, 2);
      platform.kill();
      int asked = backend.extended(id).size();
      platform.restart(Map.of());
      awaitExtended(backend, id, asked + 2);
    }
  }

  /** A host that both reach: each renewal is made by one of them, and each of them makes some. */
  @Test
  void ofTwoNodesOneAsks() {
    FaultyPlatform faulty = new FaultyPlatform("faulty");
    try (Database database = Database.start();
        Platform first = faulty.start(node(database, "one"));
        Platform second = faulty.join(first, node(database, "two"))) {
      faulty.routed(first);
      List<FaultyBackend> backends =
          List.of(faulty.backend(first, "faulty"), faulty.backend(second, "faulty"));
      backends.forEach(backend -> backend.whim(Whim.GRANTS_AT_MOST, "8"));
      var _ =
          database.sql(
              "update host set node_id = null, extension_id = 'ext.faulty' where id = 'one'");
      assertThat(first.api().post("/v1/hosts/two/cordon", "{}").status()).isEqualTo(200);
      try {
        oneAsks(first.api(), faulty.profile("faulty"), backends);
      } finally {
        // It is not so: what the second one does not find it would report as removed.
        var _ =
            database.sql("update host set node_id = 'one', extension_id = null where id = 'one'");
      }
    }
  }

  private static void oneAsks(Api api, String profile, List<FaultyBackend> backends) {
    List<String> ids =
        Stream.generate(() -> api.ready(profile).path("id").asText()).limit(4).toList();
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                backends.stream()
                    .allMatch(
                        backend -> ids.stream().anyMatch(id -> backend.extended(id).size() > 1)));
    ids.forEach(id -> assertOneAtATime(id, backends));
  }

  /** Half of the granted 8 s is over before it is asked again. */
  private static void assertOneAtATime(String id, List<FaultyBackend> backends) {
    List<Extended> all =
        backends.stream()
            .flatMap(backend -> backend.extended(id).stream())
            .sorted(Comparator.comparing(Extended::at))
            .toList();
    for (int i = 1; i < all.size(); i++) {
      assertThat(all.get(i).at()).as(all.toString()).isAfter(all.get(i - 1).at().plusSeconds(3));
    }
  }

  private static Map<String, String> node(Database database, String name) {
    Map<String, String> settings = new HashMap<>(database.settings());
    settings.put("SANDBOXER_NODE", name);
    return settings;
  }

  private static void awaitExtended(FaultyBackend backend, String id, int times) {
    await().atMost(PATIENCE).until(() -> backend.extended(id).size() >= times);
  }
}
