package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.testing.client.Api;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Everything that {@code security/} tries, inside as the sandbox's user and outside as root. */
class SecurityProbesTest {

  private static final Path PROBES = Path.of("..", "security", "target", "probes");
  private static final int LEAST = 80;

  @Nested
  @OnEveryBackend
  class Inside {

    @Parameter private Backend backend;

    @Test
    void nothingGoesThrough() throws IOException {
      try (Platform platform = Platform.start(Map.of())) {
        Api api = platform.api();
        Api.Dataplane inside = api.access(api.ready(backend.profile()).path("id").asText());
        assertThat(inside.upload("probes", Files.readAllBytes(PROBES)).status()).isEqualTo(201);
        Api.Reply reply =
            inside.exec(
                "sh",
                "-c",
                "chmod +x probes && exec env PROBES_PLATFORM_PORT=%d ./probes inside"
                    .formatted(api.base().getPort()));
        assertThat(reply.status()).as(reply.text()).isEqualTo(200);
        List<JsonNode> outcomes = outcomes(reply.json().path("stdout").asText());
        assertThat(outcomes).as(reply.text()).hasSizeGreaterThanOrEqualTo(LEAST);
        assertThat(outcomes)
            .as("stderr: " + reply.json().path("stderr").asText())
            .filteredOn(outcome -> !outcome.path("held").asBoolean())
            .isEmpty();
      }
    }
  }

  /** A probe that cannot go through where nothing is closed proves nothing. */
  @Test
  void everythingGoesThroughWhereNothingIsClosed() throws IOException, InterruptedException {
    assumeTrue(
        "root".equals(System.getProperty("user.name")), "the positive controls need to be root");
    assertThat(outcomes(output("outside")))
        .hasSizeGreaterThanOrEqualTo(LEAST)
        .noneMatch(outcome -> outcome.path("held").asBoolean());
  }

  @Test
  void theDocsListWhatIsTried() throws IOException, InterruptedException {
    assertThat(Files.readString(Path.of("..", "docs", "security.md")))
        .as("replace its tables of probes by what `go run -C security . table` prints")
        .contains(output("table"));
  }

  private static String output(String argument) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(PROBES.toString(), argument)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).isZero();
    return text;
  }

  private static List<JsonNode> outcomes(String lines) throws IOException {
    List<JsonNode> outcomes = new ArrayList<>();
    ObjectMapper json = new ObjectMapper();
    for (String line : lines.lines().toList()) {
      outcomes.add(json.readTree(line));
    }
    return outcomes;
  }
}
