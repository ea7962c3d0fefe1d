package dev.sandboxer.platform.profile;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion.VersionFlag;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** What people's editors say is what the platform says. */
class ProfileSchemaTest {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Path DOCS = Path.of("..", "docs");

  private final JsonNode schema = read();
  private final JsonSchema validator =
      JsonSchemaFactory.getInstance(VersionFlag.V202012).getSchema(schema);

  @Test
  void everyShippedProfileIsRight() throws IOException {
    List<Path> shipped;
    try (Stream<Path> files = Files.list(Path.of("..", "profiles"))) {
      shipped = files.filter(file -> file.toString().endsWith(".yaml")).toList();
    }
    assertThat(shipped).isNotEmpty();
    for (Path file : shipped) {
      String text = Files.readString(file);
      assertThat(text)
          .as("the editor's line of " + file)
          .startsWith("# yaml-language-server: $schema=");
      assertThat(complaints(text)).as(file.toString()).isEmpty();
      assertThat(
              ProfileRecipe.read(file.toString(), text, Layers.Bases.NONE, OptionsCheck.NONE)
                  .problems())
          .isEmpty();
    }
  }

  @Test
  void everyExampleOfTheGuideIsRight() throws IOException {
    String guide = Files.readString(DOCS.resolve("profiles.md"));
    Matcher found = Pattern.compile("```yaml\\n(.*?)```", Pattern.DOTALL).matcher(guide);
    List<String> examples = new ArrayList<>();
    while (found.find()) {
      examples.add(found.group(1));
    }
    assertThat(examples.size()).isGreaterThan(5);
    Layers.Bases bases = new Examples(examples);
    for (String example : examples) {
      String text = example.contains("id: ") ? example : BrokenProfiles.HEAD + example;
      assertThat(complaints(text)).as(text).isEmpty();
      assertThat(ProfileRecipe.read("guide", text, bases, OptionsCheck.NONE).problems())
          .as(text)
          .isEmpty();
    }
  }

  @Test
  void schemaAndParserRefuseTheSame() throws IOException {
    for (BrokenProfiles.Broken broken : BrokenProfiles.all()) {
      if (broken.seenBySchema()) {
        assertThat(complaints(broken.text())).as(broken.text()).isNotEmpty();
      }
    }
    assertThat(complaints(BrokenProfiles.HEAD)).isEmpty();
  }

  @Test
  void schemaAndParserKnowTheSameKeys() {
    JsonNode properties = schema.path("properties");
    assertThat(names(properties)).isEqualTo(new TreeSet<>(ProfileParser.KNOWN));
    assertThat(names(properties.at("/resources/properties")))
        .isEqualTo(new TreeSet<>(ResourcesParser.KNOWN));
    assertThat(names(properties.at("/mounts/items/properties")))
        .isEqualTo(new TreeSet<>(MountsParser.KNOWN));
    assertThat(names(properties.at("/caller_mounts/properties")))
        .isEqualTo(new TreeSet<>(CallerMountsParser.KNOWN));
    assertThat(names(properties.at("/inputs/additionalProperties/properties")))
        .isEqualTo(new TreeSet<>(InputsParser.KNOWN));
  }

  private List<String> complaints(String yaml) throws IOException {
    Object plain = new Load(LoadSettings.builder().build()).loadFromString(yaml);
    return validator.validate(JSON.valueToTree(plain)).stream().map(Object::toString).toList();
  }

  private static Set<String> names(JsonNode node) {
    Set<String> names = new TreeSet<>();
    node.fieldNames().forEachRemaining(names::add);
    return names;
  }

  private static JsonNode read() {
    try {
      return JSON.readTree(DOCS.resolve("schema/profile.schema.json").toFile());
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** The guide's examples may extend each other. */
  private record Examples(List<String> texts) implements Layers.Bases {
    @Override
    public java.util.Optional<Layers.Base> find(String id, int version, String reference) {
      return texts.stream()
          .filter(text -> text.contains("id: " + id + "\nversion: " + version + "\n"))
          .map(text -> new Layers.Base(reference, text))
          .findFirst();
    }

    @Override
    public List<Integer> versions(String id) {
      return List.of();
    }
  }
}
