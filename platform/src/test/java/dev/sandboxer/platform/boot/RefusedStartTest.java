package dev.sandboxer.platform.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.platform.Main;
import dev.sandboxer.platform.installation.Home;
import dev.sandboxer.platform.installation.HomeLock;
import dev.sandboxer.platform.testing.ForkedJava;
import dev.sandboxer.platform.testing.TestHome;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each start that cannot be is refused with one line that says why, and code 1. */
class RefusedStartTest {

  private final TestHome home = TestHome.create();

  @AfterEach
  void remove() {
    home.close();
  }

  @Test
  void readOnlyHome() {
    assertRefused(
        ForkedJava.withTmpfs(home.path(), "ro", environment(Map.of())).run(Main.class),
        "home " + home.path() + " is read-only");
  }

  @Test
  void fullHome() {
    assertRefused(
        ForkedJava.withTmpfs(home.path(), "size=8m", environment(Map.of())).run(Main.class),
        "home " + home.path() + " is full");
  }

  @ParameterizedTest
  @ValueSource(strings = {"size=40m", "size=75m"})
  void homeThatFillsWhileTheDatabaseIsMade(String size) {
    ForkedJava.Result result =
        ForkedJava.withTmpfs(home.path(), size, environment(Map.of())).run(Main.class);
    assertRefused(result, "free some space");
  }

  @Test
  void homeInUse() {
    try (HomeLock _ = HomeLock.take(Home.open(home.path()))) {
      assertRefused(
          run(Map.of()), "in use by the platform with process id " + ProcessHandle.current().pid());
    }
  }

  @Test
  void portInUse() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
      String listen = "127.0.0.1:" + taken.getLocalPort();
      assertRefused(run(Map.of("SANDBOXER_LISTEN", listen)), "cannot listen on " + listen);
    }
  }

  @Test
  void wrongSetting() {
    assertRefused(run(Map.of("SANDBOXER_LISTEN", "nowhere")), "SANDBOXER_LISTEN=nowhere is wrong");
  }

  @Test
  void wrongMasterKey() throws IOException {
    Files.write(home.path().resolve("master.key"), new byte[5]);
    assertRefused(run(Map.of()), "master key");
  }

  private ForkedJava.Result run(Map<String, String> settings) {
    return new ForkedJava(List.of(), environment(settings)).run(Main.class);
  }

  private Map<String, String> environment(Map<String, String> settings) {
    Map<String, String> all = new HashMap<>(settings);
    all.put("SANDBOXER_HOME", home.path().toString());
    all.putIfAbsent("SANDBOXER_LISTEN", "127.0.0.1:0");
    return all;
  }

  private static void assertRefused(ForkedJava.Result result, String reason) {
    List<String> lines =
        result.output().lines().filter(line -> line.startsWith("sandboxer: ")).toList();
    assertThat(lines).as(result.output()).hasSize(1);
    assertThat(lines.getFirst()).contains(reason);
    assertThat(result.output()).doesNotContain("\tat ");
    assertThat(result.code()).isEqualTo(1);
  }
}
