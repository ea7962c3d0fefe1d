package dev.sandboxer.platform.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandboxer.platform.extension.Registries;
import dev.sandboxer.platform.extension.SampleJar;
import dev.sandboxer.platform.installation.Home;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.platform.routing.SomeStrategies;
import dev.sandboxer.yaml.YamlException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Options that an extension in a jar describes by its schema. */
class ProfileOptionsTest {

  private static final String SCHEMA =
      """
      {"$schema": "https://json-schema.org/draft/2020-12/schema",
       "type": "object", "additionalProperties": false, "required": ["service"],
       "properties": {
         "service": {"type": "string", "minLength": 2},
         "replicas": {"type": "integer", "minimum": 1},
         "share": {"type": "number", "maximum": 1.5},
         "debug": {"type": "boolean"},
         "ready": {"type": "array", "items": {
           "type": "object", "additionalProperties": false,
           "properties": {"port": {"type": "integer"}, "path": {"pattern": "^/"}}}}}}
      """;

  private static final String HEAD = "id: profile.x\nversion: 1\nextension: ext.sample\n";

  @TempDir static Path folder;
  private static ProfileOptions options;

  @BeforeAll
  static void load() throws IOException {
    String code = ".optionsSchema(\"\"\"\n" + SCHEMA + "\"\"\")";
    new SampleJar().declared(code).into(folder.resolve("home/extensions/sample"));
    options =
        new ProfileOptions(
            Registries.schemas(folder), SomeStrategies.in(folder), settings("10.1.0.0/16"));
  }

  private static Settings settings(String opened) throws IOException {
    return Settings.load(
        Home.open(folder.resolve("home")), Map.of("SANDBOXER_EGRESS_ALLOW", opened)::get);
  }

  @Test
  void reachTheSpecAsTheyStand() {
    ProfileRecipe recipe =
        recipe(
            HEAD
                + """
                options:
                  service: "12"
                  replicas: 3
                  share: 0.5
                  debug: true
                  ready: [{port: 8080, path: /health}]
                """);
    assertThat(recipe.profile().spec().options())
        .isEqualTo(
            Map.of(
                "service",
                "12",
                "replicas",
                3L,
                "share",
                new java.math.BigDecimal("0.5"),
                "debug",
                true,
                "ready",
                List.of(Map.of("port", 8080L, "path", "/health"))));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          options: {service: web, replicas: 0}              | options.replicas      | minimum value of 1
          options: {service: web, replicas: "3"}            | options.replicas      | integer expected
          options: {service: web, share: 1.75}              | options.share         | maximum value of 1.5
          options: {service: web, replcas: 3}               | options.replcas       | replcas
          options: {replicas: 3}                            | options               | required property 'service'
          options: {service: web, ready: [{}, {port: x}]}   | options.ready[1].port | integer expected
          options: {service: web, ready: [{}, {a: x}]}      | options.ready[1].a    | 'a'
          options: {service: web, ready: {}}                | options.ready         | array expected
          options: {service: null}                          | options.service       | must be a text
          options: [service]                                | options               | must be a mapping
          """)
  void mistakesHaveLineAndField(String line, String field, String message) {
    assertThat(problems(HEAD + line + "\n"))
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.line()).isEqualTo(4);
              assertThat(problem.field()).isEqualTo(field);
              assertThat(problem).hasMessageContaining(message);
            });
  }

  @Test
  void rangesOfAddressesNeedTheOperatorWhenTheyAreAddedAndWhenTheyAreUsed() throws Exception {
    String text =
        "id: profile.x\nversion: 1\nextension: ext.other\nnetwork: {mode: allow, allow: [%s]}\n";
    String within = text.formatted("{host: example.com}, {host: 10.1.2.0/24, ports: [5432]}");
    ProfileRecipe recipe = recipe(within);
    assertThat(recipe.with(Map.of()).network().allow().getLast().host()).isEqualTo("10.1.2.0/24");
    assertThat(
            problems(
                text.formatted("{host: 10.0.0.0/8}, {host: 10.1.2.0/24}, {host: 10.2.0.0/16}")))
        .extracting(YamlException::field)
        .containsExactly("network.allow[0].host", "network.allow[2].host");

    ProfileOptions narrowed =
        new ProfileOptions(
            Registries.schemas(folder), SomeStrategies.in(folder), settings("10.1.2.0/25"));
    ProfileRecipe stored =
        Objects.requireNonNull(
            ProfileRecipe.readStored("x", within, Layers.Bases.NONE, narrowed).recipe());
    assertThatThrownBy(() -> stored.with(Map.of()))
        .hasMessageContaining("network.allow[1].host")
        .hasMessageContaining("has not opened 10.1.2.0/24; SANDBOXER_EGRESS_ALLOW would");
  }

  @ParameterizedTest
  @CsvSource({
    "*.co.uk, co.uk",
    "*.CO.UK, CO.UK",
    "*.github.io, github.io",
    "*.s3.amazonaws.com, s3.amazonaws.com",
    "*.anything.ck, anything.ck",
    "*.xn--55qx5d.cn, xn--55qx5d.cn",
  })
  void aWildcardForNamesOfManyOwnersIsRefusedWhenItIsAddedAndWhenItIsUsed(
      String host, String suffix) {
    String text =
        "id: profile.x\nversion: 1\nextension: ext.other\nnetwork: {mode: allow, allow: [{host: example.com}, {host: '%s'}]}\n"
            .formatted(host);
    assertThat(problems(text))
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.line()).isEqualTo(4);
              assertThat(problem.field()).isEqualTo("network.allow[1].host");
              assertThat(problem)
                  .hasMessageContaining("covers the public suffix %s, ".formatted(suffix))
                  .hasMessageContaining("*.example.%s".formatted(suffix));
            });
    ProfileRecipe stored =
        Objects.requireNonNull(
            ProfileRecipe.readStored("x", text, Layers.Bases.NONE, options).recipe());
    assertThatThrownBy(() -> stored.with(Map.of()))
        .hasMessageContaining("network.allow[1].host")
        .hasMessageContaining("public suffix %s, ".formatted(suffix));
  }

  @Test
  void aSecretIsNotForNamesOfManyOwnersEither() {
    String text =
        """
        id: profile.x
        version: 1
        extension: ext.other
        network: {mode: public}
        secret_refs: [{name: A, ref: 'env:A', use: egress, hosts: [www.github.io, '*.github.io']}]
        """;
    assertThat(problems(text))
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.field()).isEqualTo("secret_refs[0].hosts[1]");
              assertThat(problem).hasMessageContaining("covers the public suffix github.io, ");
            });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"co.uk", "*.example.co.uk", "*.me.github.io", "*.example.com", "*.inner.lan"})
  void otherNamesAreAllowed(String host) {
    assertThat(
            problems(
                "id: profile.x\nversion: 1\nextension: ext.other\nnetwork: {mode: allow, allow: [{host: '%s'}]}\n"
                    .formatted(host)))
        .isEmpty();
  }

  @Test
  void theLineIsThatOfTheValue() {
    String text = HEAD + "options:\n  service: web\n  ready:\n    - port: 1\n    - path: health\n";
    assertThat(problems(text))
        .singleElement()
        .extracting(YamlException::line, YamlException::field)
        .containsExactly(8, "options.ready[1].path");
  }

  @Test
  void inputsKeepTheirTypeAndAreCheckedAgain() throws InputsException {
    ProfileRecipe recipe =
        recipe(
            HEAD
                + """
                inputs:
                  name: {type: string}
                  count: {type: integer}
                  loud: {type: boolean, default: false}
                options:
                  service: "svc-${inputs.name}"
                  replicas: ${inputs.count}
                  debug: "${inputs.loud}"
                """);
    assertThat(recipe.profile().options()).isEmpty();
    Profile profile = recipe.with(Map.of("name", "web", "count", "4"));
    assertThat(profile.spec().options())
        .isEqualTo(Map.of("service", "svc-web", "replicas", 4L, "debug", false));
    assertThatThrownBy(() -> recipe.with(Map.of("name", "web", "count", "0")))
        .hasMessageContaining("options.replicas")
        .hasMessageContaining("minimum value of 1");
  }

  @Test
  void whatAnInputCanNotPutRightIsSeenWithoutIt() {
    String text =
        HEAD
            + "inputs: {count: {type: integer}}\n"
            + "options: {service: w, replicas: \"${inputs.count}\", other: 1}\n";
    assertThat(problems(text))
        .extracting(YamlException::field)
        .containsExactlyInAnyOrder("options.service", "options.other");
  }

  @Test
  void eachChoiceOfAnEnumIsChecked() {
    String text =
        HEAD
            + "inputs: {size: {type: enum, values: [small, s]}}\n"
            + "options: {service: \"${inputs.size}\"}\n";
    assertThat(problems(text)).extracting(YamlException::field).containsExactly("options.service");
  }

  @Test
  void mergeAsOtherMappings() {
    Layers.Bases bases =
        new Layers.Bases() {
          @Override
          public Optional<Layers.Base> find(String id, int version, String reference) {
            String base = "options: {service: web, ready: [{port: 1}], replicas: 1}\n";
            return Optional.of(new Layers.Base("base.yaml", HEAD + base));
          }

          @Override
          public List<Integer> versions(String id) {
            return List.of(1);
          }
        };
    String child = "id: profile.y\nversion: 1\nextends: x@1\noptions: {replicas: 2, ready: []}\n";
    ProfileRecipe recipe =
        Objects.requireNonNull(ProfileRecipe.read("y.yaml", child, bases, options).recipe());
    assertThat(recipe.profile().spec().options())
        .isEqualTo(Map.of("service", "web", "ready", List.of(), "replicas", 2L));
  }

  @Test
  void withoutTheExtensionNobodyCanSay() {
    String text = HEAD.replace("ext.sample", "ext.absent") + "options: {anything: 1}\n";
    assertThat(problems(text)).isEmpty();
    YamlException note = options.unchecked(recipe(text)).orElseThrow();
    assertThat(note.field()).isEqualTo("options");
    assertThat(note.line()).isEqualTo(4);
    assertThat(note).hasMessageContaining("ext.absent is not loaded here");
    assertThat(options.unchecked(recipe(HEAD + "options: {service: web}\n"))).isEmpty();
  }

  @Test
  void whatWasStoredIsReadAsItIsAndCheckedWhenItIsUsed() {
    String text = HEAD + "options: {service: web, gone: 1}\n";
    ProfileRecipe recipe =
        Objects.requireNonNull(
            ProfileRecipe.readStored("x", text, Layers.Bases.NONE, options).recipe());
    assertThatThrownBy(() -> recipe.with(Map.of()))
        .hasMessageContaining("the profile is wrong: x:4: options.gone");
  }

  private static ProfileRecipe recipe(String text) {
    ProfileRecipe.Read read = read(text);
    assertThat(read.problems()).isEmpty();
    return Objects.requireNonNull(read.recipe());
  }

  private static List<YamlException> problems(String text) {
    return read(text).problems();
  }

  private static ProfileRecipe.Read read(String text) {
    return ProfileRecipe.read("x.yaml", text, Layers.Bases.NONE, options);
  }
}
