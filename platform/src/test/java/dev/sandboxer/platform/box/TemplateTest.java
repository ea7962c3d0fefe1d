package dev.sandboxer.platform.box;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Templates: what they make of values, that two scopes never meet, and what they refuse. */
class TemplateTest {

  private static final String TENANT = "ten_a";
  private static final int SCOPES = 200_000;

  /** What could be mistaken for the end of a value, another variable, or another value. */
  private static final List<String> PIECES =
      List.of(
          "_",
          ":",
          "/",
          "=",
          "%",
          "%7D",
          "%25",
          "{",
          "}",
          "}_{",
          "{sender_id:",
          "launcher_id",
          "a",
          "b",
          "0",
          " ",
          "é",
          "e\u0301",
          "\u00a0",
          "\u200b",
          "沙",
          "😀",
          "group",
          "group_1",
          "-",
          ".",
          "@",
          "'",
          "\"",
          "\\",
          "unknown",
          "null");

  private static final List<String> TEMPLATES =
      List.of(
          Template.DEFAULT,
          "{launcher_type}{launcher_id}",
          "{launcher_type}_{launcher_id}_{sender_id}",
          "{launcher_type}_{launcher_id}_{conversation_id}",
          "{query_id}",
          "{sender_id}",
          "{sender_id}_{launcher_id}",
          "a{sender_id}",
          "{sender_id}a",
          "{global}",
          "{tenant}/{pipeline}",
          "{pipeline}:{sender_id}");

  private static String render(String template, Map<String, String> variables)
      throws TemplateException {
    return BoxScope.of(Template.parse(template), TENANT, variables).name();
  }

  @Test
  void eachValueStandsWithItsName() throws TemplateException {
    assertThat(
            render(
                Template.DEFAULT,
                Map.of("launcher_type", "group", "launcher_id", "42", "sender_id", "7")))
        .isEqualTo("{launcher_type:group}_{launcher_id:42}");
    assertThat(render("{global}", Map.of())).isEqualTo("{global}");
    assertThat(render("{tenant}/{sender_id}", Map.of("sender_id", "a}b%")))
        .isEqualTo("{tenant:ten_a}/{sender_id:a%7Db%25}");
  }

  @Test
  void differentScopesNeverMeet() throws TemplateException {
    Random random = new Random(18);
    Map<String, String> known = new HashMap<>();
    for (int i = 0; i < SCOPES; i++) {
      String template = TEMPLATES.get(random.nextInt(TEMPLATES.size()));
      Map<String, String> variables = new TreeMap<>();
      for (Variable variable : Template.parse(template).variables()) {
        if (variable.given()) {
          variables.put(variable.text(), value(random));
        }
      }
      String scope = template + " " + variables;
      String before = known.putIfAbsent(render(template, variables), scope);
      assertThat(before == null ? scope : before).isEqualTo(scope);
    }
    assertThat(known).hasSizeGreaterThan(SCOPES / 4);
  }

  private static String value(Random random) {
    StringBuilder value = new StringBuilder();
    int pieces = 1 + random.nextInt(random.nextInt(8) == 0 ? 40 : 4);
    for (int i = 0; i < pieces; i++) {
      value.append(PIECES.get(random.nextInt(PIECES.size())));
    }
    return value.length() > 256 ? value.substring(0, 200) : value.toString();
  }

  @Test
  void anIdOfTheCallersNeverMeetsATemplate() throws TemplateException {
    List<String> names = new ArrayList<>();
    for (String template : TEMPLATES) {
      Map<String, String> variables = new TreeMap<>();
      Template.parse(template).variables().stream()
          .filter(Variable::given)
          .forEach(one -> variables.put(one.text(), "1"));
      names.add(render(template, variables));
    }
    for (String name : names) {
      assertThat(names).doesNotContain(BoxScope.literal(name).name());
    }
    assertThat(BoxScope.literal("a/b").name())
        .isNotEqualTo(BoxScope.literal("a b").name())
        .isNotEqualTo(BoxScope.literal("a-b").name());
  }

  @Test
  void aValueOf256CharactersIsTakenAndALongerOneIsNot() throws TemplateException {
    assertThat(render("{sender_id}", Map.of("sender_id", "a".repeat(256)))).hasSize(256 + 12);
    assertThatThrownBy(() -> render("{sender_id}", Map.of("sender_id", "a".repeat(10_000))))
        .hasMessage("variable 'sender_id' has 10000 characters; it may have 256");
  }

  @Test
  void aVariableWithoutAValueIsNamed() {
    assertThatThrownBy(() -> render(Template.DEFAULT, Map.of("launcher_type", "group")))
        .hasMessage(
            "template '{launcher_type}_{launcher_id}' wants variable 'launcher_id', which was not"
                + " given");
    assertThatThrownBy(() -> render("{sender_id}", Map.of("sender_id", "")))
        .hasMessage("template '{sender_id}' wants variable 'sender_id', which is empty");
  }

  @ParameterizedTest
  @ValueSource(strings = {"\u0000", "a\nb", "\u001b[2J", "\u007f", "\u0085"})
  void controlCharactersAreRefused(String value) {
    assertThatThrownBy(() -> render("{sender_id}", Map.of("sender_id", value)))
        .hasMessage("variable 'sender_id' has control characters");
    assertThatThrownBy(() -> BoxScope.literal(value))
        .hasMessage("session_id has control characters");
  }

  @Test
  void halfOfASurrogatePairIsRefused() {
    assertThatThrownBy(() -> render("{sender_id}", Map.of("sender_id", "a\ud83d")))
        .hasMessage("variable 'sender_id' has half of a surrogate pair");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{lancher_id}|template '{lancher_id}' names 'lancher_id', which is no variable",
        "plain|template 'plain' names no variable; there are launcher_type, launcher_id",
        "{sender_id|something at character 1",
        "{sender_id}}|something at character 12",
        "{sender_id} x|something at character 12",
        "{{sender_id}}|something at character 1",
        "{}|names '', which is no variable",
        "%{sender_id}|something at character 1",
        "={sender_id}|something at character 1"
      })
  void aWrongTemplateIsExplained(String template, String message) {
    assertThatThrownBy(() -> Template.parse(template)).hasMessageContaining(message);
  }

  @Test
  void anUnknownVariableAmongTheValuesIsExplained() {
    assertThatThrownBy(() -> render("{sender_id}", Map.of("sender_id", "1", "sender", "1")))
        .hasMessageContaining("there is no variable 'sender' to give; there are launcher_type");
    assertThatThrownBy(() -> render("{sender_id}", Map.of("sender_id", "1", "tenant", "ten_b")))
        .hasMessageContaining("there is no variable 'tenant' to give");
  }
}
