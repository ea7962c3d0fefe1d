package dev.sandboxer.platform.testing;

import static org.awaitility.Awaitility.await;

import dev.sandboxer.platform.dataplane.ViaTargets;
import dev.sandboxer.testing.client.Api;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.restassured.RestAssured;
import io.restassured.specification.RequestSpecification;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.eclipse.microprofile.config.ConfigProvider;

/**
 * The whole platform within the tests' process, over HTTP, with a home, a PostgreSQL and sandboxes
 * that are plain processes. The classes of a suite with {@code @QuarkusTest} and
 * {@code @TestProfile(InProcess.class)} share it: each makes what it needs and ends it. A class
 * that needs other settings has a profile that extends this one, which costs a start.
 */
public class InProcess implements QuarkusTestProfile {

  @Override
  public List<TestResourceEntry> testResources() {
    return List.of(
        new TestResourceEntry(TestDatabase.class), new TestResourceEntry(TestDistribution.class));
  }

  @Override
  public Map<String, String> getConfigOverrides() {
    return settings(Map.of());
  }

  @Override
  public Set<Class<?>> getEnabledAlternatives() {
    return Set.of(ViaTargets.class);
  }

  /**
   * The settings of all, and some more.
   *
   * @param more of one class
   * @return both
   */
  protected static Map<String, String> settings(Map<String, String> more) {
    Map<String, String> all = new HashMap<>(more);
    all.put("SANDBOXER_ACTOR_CAPABILITIES", "agent=fs_read");
    all.put("SANDBOXER_KEY_PUBLISH_SECONDS", "3");
    all.put("SANDBOXER_SWEEP_SECONDS", "1");
    all.put("SANDBOXER_WEBHOOK_ALLOW", "127.0.0.1");
    all.put("SANDBOXER_WEBHOOK_RETRIES", "1,1");
    return all;
  }

  /**
   * The administrator as a caller.
   *
   * @return with the home's key
   */
  public static Api api() {
    try {
      String key = Files.readString(adminKey()).strip();
      return new Api(
          URI.create(ConfigProvider.getConfig().getValue("test.url", String.class)), key);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The same with REST Assured.
   *
   * @return a request with JSON and the home's key
   */
  public static RequestSpecification asking() {
    Api api = api();
    return RestAssured.given()
        .baseUri(api.base().toString())
        .auth()
        .oauth2(api.key())
        .contentType("application/json");
  }

  static Path adminKey() {
    return home().resolve("admin.key");
  }

  /**
   * Where the platform keeps its files.
   *
   * @return the folder
   */
  public static Path home() {
    return Path.of(ConfigProvider.getConfig().getValue("SANDBOXER_HOME", String.class));
  }

  /**
   * Makes a profile, and waits until the platform knows it.
   *
   * @param lines what it says after id and version
   * @return its name
   * @throws IOException if the file cannot be written
   */
  public static String profile(String lines) throws IOException {
    String name = "made-" + UUID.randomUUID();
    Path folder = Files.createDirectories(home().resolve("profiles"));
    Files.writeString(
        folder.resolve(name + ".yaml"), "id: profile.%s\nversion: 1\n%s".formatted(name, lines));
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> asking().get("/v1/profiles").asString().contains("profile." + name));
    return name;
  }

  /**
   * What runs of a sandbox.
   *
   * @param sandbox {@code sb_...}
   * @return its boxd, if it has one
   */
  public static Stream<ProcessHandle> boxdOf(String sandbox) {
    String folder = home().resolve("run").toString();
    String name = "/" + sandbox.substring("sb_".length()) + "-";
    return ProcessHandle.allProcesses()
        .filter(
            process ->
                Stream.of(process.info().arguments().orElse(new String[0]))
                    .anyMatch(word -> word.startsWith(folder) && word.contains(name)));
  }
}
