package dev.sandboxer.platform.testing;

import dev.sandboxer.platform.database.EmbeddedPostgres;
import dev.sandboxer.platform.installation.Home;
import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Gives each run of {@code @QuarkusTest}s a fresh home and an embedded PostgreSQL, by the same
 * classes as the platform itself. Use: {@code @QuarkusTestResource(TestDatabase.class)}.
 */
public final class TestDatabase implements QuarkusTestResourceLifecycleManager {

  private final TestHome home = TestHome.create();
  private @Nullable EmbeddedPostgres postgres;

  @Override
  public Map<String, String> start() {
    EmbeddedPostgres started =
        EmbeddedPostgres.start(Home.open(home.path()), TestHome.sharedCache());
    postgres = started;
    Map<String, String> configuration = new HashMap<>(started.address().configuration());
    configuration.put("SANDBOXER_HOME", home.path().toString());
    configuration.put("quarkus.http.test-port", "0");
    return configuration;
  }

  @Override
  public void stop() {
    if (postgres != null) {
      postgres.close();
    }
    home.close();
  }
}
