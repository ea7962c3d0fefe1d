package dev.sandboxer.platform.extension;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Schemas that an extension ships in its jar. */
class ExtensionSchemasTest {

  private static final String CLOSED =
      "{\\\"type\\\":\\\"object\\\",\\\"additionalProperties\\\":false,"
          + "\\\"properties\\\":{\\\"zone\\\":{\\\"type\\\":\\\"integer\\\"}}}";

  @TempDir Path folder;

  @Test
  void optionsAndHostSettingsHaveTheirOwnSchemas() throws IOException {
    ExtensionSchemas schemas = schemas(".hostSettingsSchema(\"" + CLOSED + "\")");
    assertThat(schemas.hostSettings("ext.sample", Map.of("zone", 3))).isEmpty();
    assertThat(schemas.hostSettings("ext.sample", Map.of("zone", "a", "rack", 1)))
        .extracting(ExtensionSchemas.Mistake::path)
        .containsExactlyInAnyOrder(List.of("zone"), List.of("rack"));
    assertThat(schemas.options("ext.sample", Map.of("zone", 3)))
        .singleElement()
        .satisfies(
            mistake -> {
              assertThat(mistake.path()).isEqualTo(List.of("zone"));
              assertThat(mistake.message()).isEqualTo("ext.sample has no options");
            });
    assertThat(schemas.options("ext.sample", Map.of())).isEmpty();
  }

  @Test
  void anExtensionThatIsNotLoadedCanNotBeAsked() throws IOException {
    ExtensionSchemas schemas = schemas("");
    assertThat(schemas.known("ext.sample")).isTrue();
    assertThat(schemas.known("ext.other")).isFalse();
    assertThat(schemas.options("ext.other", Map.of("zone", 3))).isEmpty();
  }

  @Test
  void aWrongSchemaIsReportedAndNothingIsFetched() throws IOException {
    assertThat(schemas(".optionsSchema(\"{\")").options("ext.sample", Map.of()))
        .singleElement()
        .extracting(ExtensionSchemas.Mistake::message)
        .asString()
        .startsWith("the schema of ext.sample for options is wrong: ");
    String remote = ".optionsSchema(\"{\\\"$ref\\\":\\\"http://127.0.0.1:9/x.json\\\"}\")";
    assertThat(schemas(remote).options("ext.sample", Map.of()))
        .singleElement()
        .extracting(ExtensionSchemas.Mistake::message)
        .asString()
        .contains("is wrong: ", "127.0.0.1:9/x.json");
  }

  private ExtensionSchemas schemas(String declared) throws IOException {
    new SampleJar().declared(declared).into(folder.resolve("home/extensions/sample"));
    return Registries.schemas(folder);
  }
}
