package dev.sandboxer.cli.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.client.Api;
import dev.sandboxer.cli.client.ApiFailure;
import dev.sandboxer.cli.client.Pages;
import java.util.ArrayList;
import java.util.List;

/** Whether the platform runs and is ready, whether the key fits, and which backends it loaded. */
final class PlatformCheck {
  private final Api api;

  PlatformCheck(Api api) {
    this.api = api;
  }

  List<Check> look() throws InterruptedException {
    List<Check> checks = new ArrayList<>();
    try {
      api.get("/v1/health/ready");
      checks.add(Check.good("platform", "ready at " + api.endpoint()));
    } catch (Api.Unreachable e) {
      return List.of(
          Check.bad("platform", "nothing answers at " + api.endpoint(), "./sandboxer up"));
    } catch (ApiFailure e) {
      return List.of(
          Check.bad(
              "platform",
              api.endpoint() + " answers, and is not ready: " + e.text(),
              "./sandboxer down && ./sandboxer up"));
    } catch (Failure e) {
      return List.of(
          Check.bad(
              "platform",
              "something else listens at " + api.endpoint(),
              "SANDBOXER_LISTEN=127.0.0.1:8421 ./sandboxer up"));
    }
    checks.addAll(extensions());
    return checks;
  }

  private List<Check> extensions() throws InterruptedException {
    List<Check> checks = new ArrayList<>();
    try {
      for (JsonNode extension : new Pages(api).all("/v1/extensions")) {
        checks.add(extension(extension));
      }
    } catch (Failure e) {
      checks.add(Check.bad("key", e.text(), "export SANDBOXER_KEY=sbxk_..."));
    }
    return checks;
  }

  private static Check extension(JsonNode json) {
    String name = "extension " + json.path("id").asText();
    return json.path("state").asText().equals("loaded")
        ? Check.good(name, "version " + json.path("version").asText())
        : Check.bad(
            name,
            json.path("reason").asText("did not load"),
            "put a version of it that fits this platform into its folder");
  }
}
