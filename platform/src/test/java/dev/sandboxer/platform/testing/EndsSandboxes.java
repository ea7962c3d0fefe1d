package dev.sandboxer.platform.testing;

import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.client.Histories;
import io.quarkus.test.junit.callback.QuarkusTestAfterAllCallback;
import io.quarkus.test.junit.callback.QuarkusTestContext;
import java.nio.file.Files;

/** After each class that shares the platform: its sandboxes end, and the log tells their lives. */
public final class EndsSandboxes implements QuarkusTestAfterAllCallback {

  @Override
  public void afterAll(QuarkusTestContext context) {
    if (Files.exists(InProcess.adminKey())) { // else nobody is served there
      Api api = InProcess.api();
      api.destroyAllOfAllTenants();
      Histories.check(api);
    }
  }
}
