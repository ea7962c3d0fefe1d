package dev.sandboxer.platform.testing;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.client.Histories;
import io.quarkus.test.junit.TestProfile;
import io.quarkus.test.junit.callback.QuarkusTestAfterAllCallback;
import io.quarkus.test.junit.callback.QuarkusTestContext;
import java.util.ArrayList;
import java.util.List;

/** After each class that shares the platform: what it left ends, and the log tells their lives. */
public final class EndsSandboxes implements QuarkusTestAfterAllCallback {

  @Override
  public void afterAll(QuarkusTestContext context) {
    TestProfile profile = context.getTestInstance().getClass().getAnnotation(TestProfile.class);
    if (profile != null && InProcess.class.isAssignableFrom(profile.value())) {
      Api api = InProcess.api();
      List<String> left = new ArrayList<>();
      for (JsonNode each : api.get("/v1/sandboxes?live=true&limit=1000").json().path("items")) {
        left.add(each.path("id").asText());
      }
      api.destroyAllOfAllTenants();
      left.forEach(id -> Histories.check(api, id));
    }
  }
}
