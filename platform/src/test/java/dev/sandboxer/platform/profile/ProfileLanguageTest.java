package dev.sandboxer.platform.profile;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.yaml.YamlException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProfileLanguageTest {

  private static final String HEAD = "id: profile.x\nversion: 1\nextension: ext.x\n";

  static Stream<Arguments> wrong() {
    return Stream.of(
        Arguments.of("", 1, "", "empty"),
        Arguments.of("- a\n", 1, "", "must be a mapping"),
        Arguments.of("id: [profile.x\n", 2, "", "expected"),
        Arguments.of("id: profile.x\n\tversion: 1\n", 2, "", "found"),
        Arguments.of("version: 1\nextension: ext.x\n", 1, "", "'id' is missing"),
        Arguments.of(
            "id: x\nversion: 1\nextension: ext.x\n", 1, "id", "'x' must be profile.<name>"),
        Arguments.of("id: profile.x\nversion: 0\nextension: e\n", 2, "version", "from 1"),
        Arguments.of("id: profile.x\nversion: \"1\"\nextension: e\n", 2, "version", "whole number"),
        Arguments.of("id: profile.x\nversion: 1\nextension: X\n", 3, "extension", "ext.<name>"),
        Arguments.of(HEAD + "id: profile.y\n", 4, "id", "stands twice"),
        Arguments.of(HEAD + "lables: {a: b}\n", 4, "lables", "did you mean 'labels'?"),
        Arguments.of(HEAD + "zzz: 1\n", 4, "zzz", "unknown key 'zzz': known are"),
        Arguments.of(HEAD + "<<: {a: b}\n", 4, "<<", "unknown key '<<'"),
        Arguments.of(
            HEAD + "resources: {memory: 512}\n", 4, "resources.memory", "size with a unit"),
        Arguments.of(
            HEAD + "resources: {memory: 0Mi}\n", 4, "resources.memory", "size with a unit"),
        Arguments.of(HEAD + "resources: {memory: 512MB}\n", 4, "resources.memory", "512Mi"),
        Arguments.of(HEAD + "resources:\n  tmp: 99999Gi\n", 5, "resources.tmp", "16384Gi"),
        Arguments.of(HEAD + "resources: {cpus: 0}\n", 4, "resources.cpus", "above 0"),
        Arguments.of(HEAD + "resources: {cpus: 1e9}\n", 4, "resources.cpus", "above 0"),
        Arguments.of(HEAD + "resources: {pids: 1.5}\n", 4, "resources.pids", "whole number"),
        Arguments.of(HEAD + "resources: {disk: 1Gi}\n", 4, "resources.disk", "unknown key"),
        Arguments.of(HEAD + "resources: 5\n", 4, "resources", "must be a mapping"),
        Arguments.of(HEAD + "limits: {processes: 0}\n", 4, "limits.processes", "1 to"),
        Arguments.of(
            HEAD + "limits: {json_bytes: 5}\n", 4, "limits.json_bytes", "size with a unit"),
        Arguments.of(HEAD + "limits: {json_bytes: 2Gi}\n", 4, "limits.json_bytes", "1Gi"),
        Arguments.of(HEAD + "limits: {files: 5}\n", 4, "limits.files", "unknown key"),
        Arguments.of(HEAD + "isolation: {level: jail}\n", 4, "isolation.level", "container"),
        Arguments.of(
            HEAD + "isolation: {level: vm, runtime: -x}\n",
            4,
            "isolation.runtime",
            "runc or runsc"),
        Arguments.of(HEAD + "image: --privileged\n", 4, "image", "must be an image reference"),
        Arguments.of(HEAD + "image: a b\n", 4, "image", "must be an image reference"),
        Arguments.of(HEAD + "image: host:/x\n", 4, "image", "must be an image reference"),
        Arguments.of(HEAD + "image: x/../y\n", 4, "image", "must be an image reference"),
        Arguments.of(HEAD + "ttl: 30\n", 4, "ttl", "duration with a unit"),
        Arguments.of(HEAD + "ttl: 9h\n", 4, "ttl", "longer than hard_ttl (8h)"),
        Arguments.of(HEAD + "env: {\"A B\": c}\n", 4, "env.A B", "must match"),
        Arguments.of(HEAD + "env: {A: {b: c}}\n", 4, "env.A", "must be a text"),
        Arguments.of(HEAD + "env: {A: null}\n", 4, "env.A", "must be a text"),
        Arguments.of(HEAD + "labels: [a]\n", 4, "labels", "must be a mapping"),
        Arguments.of(HEAD + "best_effort: [memry]\n", 4, "best_effort[0]", "memory"),
        Arguments.of(HEAD + "best_effort: memory\n", 4, "best_effort", "must be a list"),
        Arguments.of(HEAD + "description: !!java/object x\n", 4, "description", "must be a text"),
        Arguments.of(HEAD + "labels: " + "[".repeat(5000), 4, "", "16 levels"),
        Arguments.of(HEAD + "labels: {a: &x b" + ", c: *x".repeat(11) + "}\n", 4, "", "10 aliases"),
        Arguments.of(HEAD + "#" + "x".repeat(70_000), 1, "", "longer than"));
  }

  @ParameterizedTest
  @MethodSource("wrong")
  void namesLineFieldAndMistake(String text, int line, String field, String message) {
    YamlException e = mistakes(text).getFirst();
    assertThat(e.getMessage()).contains(message);
    assertThat(e.field()).isEqualTo(field);
    assertThat(e.line()).as(e.sentence()).isEqualTo(line);
    assertThat(e.file()).isEqualTo("x.yaml");
  }

  static Stream<BrokenProfiles.Broken> broken() {
    return BrokenProfiles.all().stream();
  }

  @ParameterizedTest
  @MethodSource("broken")
  void eachKindOfMistakeHasItsPlace(BrokenProfiles.Broken broken) {
    namesLineFieldAndMistake(broken.text(), broken.line(), broken.field(), broken.message());
  }

  @Test
  void allMistakesAreFoundAtOnce() {
    List<YamlException> found =
        mistakes(HEAD + "ttl: 30\nlables: {}\nenv: {A: [], B: {}, C: c}\nmounts: [{}, 1]\n");
    assertThat(found.stream().map(YamlException::field))
        .containsExactlyInAnyOrder("ttl", "lables", "env.A", "env.B", "mounts[0]", "mounts[1]");
  }

  @Test
  void whatWaitsForAnInputIsNoMistake() {
    Profile profile =
        parsed(
            HEAD
                + "inputs: {n: {type: integer}, d: {type: string}}\n"
                + "resources: {pids: '${inputs.n}'}\nttl: '${inputs.d}'\n"
                + "mounts: [{tmpfs: '${inputs.d}', mount_path: /x}]\nenv: {A: a, B: 'b${inputs.n}'}\n");
    assertThat(profile.env()).containsExactly(java.util.Map.entry("A", "a"));
    assertThat(profile.mounts()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"placement", "warm"})
  void reservedKeysAreRefusedAsSuch(String key) {
    assertThat(mistakes(HEAD + key + ": 1\n").getFirst())
        .hasMessage("'" + key + "' is not supported yet");
  }

  private static List<YamlException> mistakes(String text) {
    return ProfileRecipe.read("x.yaml", text, Layers.Bases.NONE, OptionsCheck.NONE).problems();
  }

  private static Profile parsed(String text) {
    ProfileRecipe.Read read =
        ProfileRecipe.read("x.yaml", text, Layers.Bases.NONE, OptionsCheck.NONE);
    assertThat(read.problems()).isEmpty();
    return read.recipe().profile();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mounts: [{host_path: /srv, mount_path: /a, mode: rw}]",
        "caller_mounts: {roots: [/srv], modes: [rw]}"
      })
  void whatWasStoredBeforeItHadToSayUnlimitedGoesOn(String line) {
    String text = HEAD + line + "\n";
    assertThat(mistakes(text)).hasSize(1);
    assertThat(
            ProfileRecipe.readStored("x@1", text, Layers.Bases.NONE, OptionsCheck.NONE).problems())
        .isEmpty();
  }

  @Test
  void aCopyNeedNotSayUnlimited() {
    String copy = "mounts: [{host_path: /srv, mount_path: /tmp/a, mode: rw, delivery: copy}]\n";
    assertThat(mistakes(HEAD + copy)).isEmpty();
  }

  @Test
  void theGuidesExampleIsRightAndUsesEveryKeyOfTheSchema() throws IOException {
    String guide = Files.readString(docs().resolve("profiles.md"));
    int begin = guide.indexOf("```yaml\n") + 8;
    String yaml = guide.substring(begin, guide.indexOf("\n```\n", begin));
    assertThat(parsed(yaml).id()).isEqualTo("profile.tests");
    JsonNode properties = schema().get("properties");
    for (String key : names(properties)) {
      assertThat(guide).contains("\n" + key + ":");
    }
    for (String key : names(properties.get("resources").get("properties"))) {
      assertThat(yaml).contains(key + ": ");
    }
  }

  @Test
  void theSchemasDefaultsAreTheParsers() throws IOException {
    JsonNode resources = schema().get("properties").get("resources").get("properties");
    StringBuilder yaml = new StringBuilder(HEAD + "resources:\n");
    for (String key : names(resources)) {
      yaml.append("  ").append(key).append(": ").append(resources.get(key).get("default").asText());
      yaml.append('\n');
    }
    yaml.append("ttl: ").append(schema().get("properties").get("ttl").get("default").asText());
    assertThat(parsed(yaml.toString())).isEqualTo(parsed(HEAD));
  }

  private static List<String> names(JsonNode node) {
    List<String> names = new ArrayList<>();
    node.fieldNames().forEachRemaining(names::add);
    return names;
  }

  private static JsonNode schema() throws IOException {
    return new ObjectMapper().readTree(docs().resolve("schema/profile.schema.json").toFile());
  }

  private static Path docs() {
    return Path.of("..", "docs");
  }
}
