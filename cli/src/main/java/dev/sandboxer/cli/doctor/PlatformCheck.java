package dev.sandboxer.cli.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.client.Api;
import dev.sandboxer.cli.client.ApiFailure;
import dev.sandboxer.cli.client.Pages;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Whether the platform runs and is ready, whether the key fits, and which backends it loaded. */
final class PlatformCheck {
  private final Context context;

  PlatformCheck(Context context) {
    this.context = context;
  }

  List<Check> look() throws InterruptedException {
    try {
      return look(context.api());
    } catch (Failure e) {
      return List.of(Check.bad("platform", e.text(), ""));
    }
  }

  private static List<Check> look(Api api) throws InterruptedException {
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
    checks.addAll(extensions(api));
    checks.addAll(hosts(api));
    return checks;
  }

  /** What the platform's trials of registered hosts have found; who may not read them sees none. */
  private static List<Check> hosts(Api api) throws InterruptedException {
    List<Check> checks = new ArrayList<>();
    try {
      for (JsonNode host : new Pages(api).all("/v1/hosts")) {
        host.path("probe")
            .properties()
            .forEach(
                trial ->
                    checks.add(host(host.path("name").asText(), trial.getKey(), trial.getValue())));
      }
    } catch (ApiFailure e) {
      return List.of();
    }
    return checks;
  }

  private static Check host(String name, String extension, JsonNode trial) {
    return trial.path("usable").asBoolean()
        ? Check.good("host " + name, extension + " can be used")
        : Check.bad(
            "host " + name,
            extension + " cannot be used: " + trial.path("detail").asText(),
            "sandboxer hosts show " + name);
  }

  private static List<Check> extensions(Api api) throws InterruptedException {
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
    if (!json.path("state").asText().equals("loaded")) {
      return Check.bad(
          name,
          json.path("reason").asText("did not load"),
          "put a version of it that fits this platform into its folder");
    }
    String version = "version " + json.path("version").asText();
    JsonNode probe = json.path("probe");
    return probe.path("usable").asBoolean(true)
        ? Check.good(name, version)
        : unusable(name, version, probe.path("checks"));
  }

  /** By what the platform's own trial of it found wrong. */
  private static Check unusable(String name, String version, JsonNode looked) {
    List<Check> wrong = new ArrayList<>();
    looked.forEach(check -> wrong.add(Check.of(check)));
    wrong.removeIf(Check::ok);
    return Check.bad(
        name,
        version
            + ", cannot run a sandbox here: "
            + wrong.stream()
                .map(check -> check.name() + ": " + check.detail())
                .collect(Collectors.joining("; ")),
        wrong.stream()
            .map(Check::remedy)
            .filter(remedy -> !remedy.isEmpty())
            .findFirst()
            .orElse(""));
  }
}
