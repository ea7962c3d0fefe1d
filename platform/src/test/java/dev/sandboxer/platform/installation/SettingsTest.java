package dev.sandboxer.platform.installation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingsTest {

  @TempDir Path folder;

  @Test
  void hasDefaults() {
    Settings settings = load(Map.of());
    assertThat(settings.listen()).isEqualTo(new ListenAddress("127.0.0.1", 8420));
    assertThat(settings.ownUidRange()).isEmpty();
    assertThat(settings.externalDatabase()).isEmpty();
    assertThat(settings.tls()).isEmpty();
    assertThat(settings.list(Setting.SANDBOXER_MOUNT_ROOTS)).isEmpty();
  }

  @Test
  void environmentWinsOverFile() throws IOException {
    file("SANDBOXER_LISTEN=127.0.0.1:1\nSANDBOXER_NODE = one\n");
    Settings settings = load(Map.of("SANDBOXER_LISTEN", "[::1]:2"));
    assertThat(settings.listen()).isEqualTo(new ListenAddress("::1", 2));
    assertThat(settings.text(Setting.SANDBOXER_NODE)).contains("one");
  }

  @Test
  void unknownKeyInTheFileGetsAHint() throws IOException {
    file("SANDBOXER_LISTN=127.0.0.1:1\n");
    assertThatThrownBy(() -> load(Map.of()))
        .isInstanceOf(StartupException.class)
        .hasMessageContaining("SANDBOXER_LISTN")
        .hasMessageContaining("did you mean SANDBOXER_LISTEN?");
  }

  @Test
  void theTokenOfLangBotIsCheckedAndNeverShown() {
    assertThat(load(Map.of()).langBotToken()).isEmpty();
    String good = "0123456789abcdef";
    assertThat(load(Map.of("SANDBOXER_LANGBOT_TOKEN", good)).langBotToken()).contains(good);
    for (String bad : new String[] {"0123456789abcde", "0123456789 abcdef", "0123456789abcdefé"}) {
      assertThatThrownBy(() -> load(Map.of("SANDBOXER_LANGBOT_TOKEN", bad)))
          .isInstanceOf(StartupException.class)
          .hasMessageContaining("SANDBOXER_LANGBOT_TOKEN")
          .hasMessageNotContaining(bad);
    }
  }

  @Test
  void theOldNamesOfTwoExtensionSettingsHold() throws IOException {
    file("SANDBOXER_NSJAIL=/opt/nsjail\nSANDBOXER_EXT_DOCKER_HOST=unix:///b\n");
    ExtensionSettings settings = load(Map.of("SANDBOXER_DOCKER_HOST", "unix:///a")).extensions();
    assertThat(settings.value("ext.nsjail", "path")).contains("/opt/nsjail");
    assertThat(settings.value("ext.docker", "host")).contains("unix:///b");
    assertThat(settings.value("ext.docker", "path")).isEmpty();
    Map<String, String> dashed = Map.of("SANDBOXER_EXT_MY_JAIL_API_KEY", " x ");
    assertThat(load(dashed).extensions().value("ext.my-jail", "api_key")).contains("x");
  }

  @Test
  void theHomeCanNotBeSetInItsOwnFile() throws IOException {
    file("SANDBOXER_HOME=/elsewhere\n");
    assertThatThrownBy(() -> load(Map.of())).hasMessageContaining("environment alone");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "SANDBOXER_LISTEN           | 8420               | host:port",
        "SANDBOXER_LISTEN           | 127.0.0.1:99999    | 65535",
        "SANDBOXER_UID_RANGE        | 0-10               | first-last",
        "SANDBOXER_UID_RANGE        | many               | first-last",
        "SANDBOXER_PUBLIC_URL       | sandboxes.example  | must be a URL",
        "SANDBOXER_BEHIND_TLS_PROXY | yes                | true or false",
        "SANDBOXER_EVENT_RETENTION  | 30                 | such as 30d",
        "SANDBOXER_BOX_RETENTION    | 30 days            | such as 30d",
        "SANDBOXER_CURRENCY         | EURO               | a code of ISO 4217",
        "SANDBOXER_EGRESS_MAX_DURATION | 24              | such as 30d",
        "SANDBOXER_EGRESS_MAX_DURATION | 0h              | from 1s",
        "SANDBOXER_EGRESS_MAX_DURATION | forever         | such as 30d",
        "SANDBOXER_EVENT_RETENTION  | 0d                 | from 1s",
        "SANDBOXER_DB_URL           | mysql://db/x       | jdbc:postgresql",
        "SANDBOXER_DB_URL           | postgres://u:p@h/x | SANDBOXER_DB_PASSWORD_FILE",
      })
  void wrongValueIsNamed(String key, String value, String hint) {
    assertThatThrownBy(() -> load(Map.of(key, value)))
        .isInstanceOf(StartupException.class)
        .hasMessageContaining(key + "=" + value)
        .hasMessageContaining(hint);
  }

  @Test
  void widerThanLoopbackNeedsTls() {
    assertThatThrownBy(() -> load(Map.of("SANDBOXER_LISTEN", "0.0.0.0:8420")))
        .hasMessageContaining("SANDBOXER_LISTEN=0.0.0.0:8420")
        .hasMessageContaining("SANDBOXER_TLS_CERT");
    load(Map.of("SANDBOXER_LISTEN", "0.0.0.0:8420", "SANDBOXER_BEHIND_TLS_PROXY", "true"));
    load(
        Map.of(
            "SANDBOXER_LISTEN", "0.0.0.0:8420",
            "SANDBOXER_TLS_CERT", "/c.pem",
            "SANDBOXER_TLS_KEY", "/k.pem"));
  }

  @Test
  void externalDatabaseNeedsUserAndPassword() {
    assertThatThrownBy(() -> load(Map.of("SANDBOXER_DB_URL", "postgresql://db:5432/x")))
        .hasMessageContaining("SANDBOXER_DB_USER must be set");
    Settings settings =
        load(
            Map.of(
                "SANDBOXER_DB_URL", "postgresql://db:5432/x",
                "SANDBOXER_DB_USER", "u",
                "SANDBOXER_DB_PASSWORD_FILE", "/p"));
    assertThat(settings.externalDatabase())
        .contains(new ExternalDatabase("jdbc:postgresql://db:5432/x", "u", Path.of("/p")));
  }

  private void file(String text) throws IOException {
    Files.writeString(folder.resolve("sandboxer.properties"), text);
  }

  private Settings load(Map<String, String> environment) {
    return Settings.load(Home.open(folder), environment::get);
  }
}
