package dev.sandboxer.cli.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Whether nsjail can run a sandbox here: asks the launcher, which tries a real jail. */
final class NsjailCheck {
  private static final String NAME = "backend nsjail";
  private static final long LIMIT_SECONDS = 20;
  private static final int MOST_BYTES = 1 << 20;

  private final ObjectMapper json;
  private final Map<String, String> environment;

  NsjailCheck(ObjectMapper json, Map<String, String> environment) {
    this.json = json;
    this.environment = environment;
  }

  /** The backend first, then every single thing that stands in its way or limits it. */
  List<Check> look() throws InterruptedException {
    if (!System.getProperty("os.name").equals("Linux")) {
      return List.of(
          Check.bad(
              NAME,
              "needs Linux",
              "use a remote platform: export SANDBOXER_URL=https://... SANDBOXER_KEY=sbxk_..."));
    }
    Path boxd = boxd();
    if (!Files.isExecutable(boxd)) {
      return List.of(Check.bad(NAME, "not built yet (" + boxd + ")", "./sandboxer up"));
    }
    try {
      return judge(probe(boxd));
    } catch (IOException e) {
      return List.of(Check.bad(NAME, "the probe failed: " + e.getMessage(), "./sandboxer up"));
    }
  }

  private Path boxd() {
    String machine = System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64";
    return Path.of(
        environment.getOrDefault("SANDBOXER_DIST", ""), "boxd", "linux-" + machine, "boxd");
  }

  private JsonNode probe(Path boxd) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(boxd.toString(), "jail", "probe", "--json")
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    Thread.ofPlatform().daemon().start(() -> endAfterLimit(process));
    String answer =
        new String(process.getInputStream().readNBytes(MOST_BYTES), StandardCharsets.UTF_8);
    process.waitFor();
    JsonNode report = json.readTree(answer);
    if (!report.isObject()) {
      throw new IOException("it answered nothing (exit code " + process.exitValue() + ")");
    }
    return report;
  }

  private static void endAfterLimit(Process process) {
    try {
      if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static List<Check> judge(JsonNode report) {
    List<Check> checks = new ArrayList<>();
    boolean usable = report.path("usable").asBoolean();
    List<Check> bad = new ArrayList<>();
    report
        .path("checks")
        .forEach(
            check -> {
              if (!check.path("ok").asBoolean()) {
                bad.add(Check.of(check));
              }
            });
    if (usable) {
      checks.add(Check.good(NAME, "a jail was tried and works" + limits(report)));
    } else {
      Check first = bad.isEmpty() ? Check.bad("", "no reason was given", "") : bad.getFirst();
      checks.add(Check.bad(NAME, "cannot run here: " + first.detail(), first.remedy()));
    }
    bad.forEach(
        check ->
            checks.add(new Check("nsjail " + check.name(), false, check.detail(), check.remedy())));
    return checks;
  }

  private static String limits(JsonNode report) {
    List<String> missing = new ArrayList<>();
    report.path("not_enforced").forEach(limit -> missing.add(limit.asText()));
    return missing.isEmpty()
        ? ", every limit enforced"
        : ", not enforced: " + String.join(" ", missing);
  }
}
