package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.registry.Layer;
import dev.sandboxer.testing.registry.RegistryImage;
import dev.sandboxer.testing.registry.RegistryImage.Pushed;
import dev.sandboxer.testing.registry.RegistryServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;

/**
 * Images of a registry that takes a login: who gets them, and that the password is nowhere else.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@EnabledIfEnvironmentVariable(named = "SANDBOXER_DOCKER_HOST", matches = ".+")
class PrivateImagesTest {

  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final String RIGHT = "right";
  private static final String WRONG = "wrong";

  @TempDir private static Path folder;

  private final String password = "canary-" + UUID.randomUUID();
  private final String guessed = "canary-" + UUID.randomUUID();
  private final List<String> used = new ArrayList<>();
  private Engine engine = Backends.docker().orElseThrow();
  private Map<String, String> settings = Map.of();
  private RegistryServer registry;
  private Platform platform;
  private Api api;
  private int made;

  @BeforeAll
  void start() throws IOException {
    registry = RegistryServer.withLogin(folder, "robot", password);
    settings =
        Map.of(
            "SANDBOXER_DOCKER_HOST",
            engine.host(),
            "SANDBOXER_IMAGES",
            "default=*, team-a=docker.io/library/*, team-a=127.0.0.1:*/team-a/*");
    platform = Platform.start(settings);
    api = platform.api();
  }

  @BeforeEach
  void logins() throws IOException {
    registry.login("robot", password);
    file(RIGHT, password);
    file(WRONG, guessed);
  }

  @AfterAll
  void stop() {
    api.destroyAll();
    platform.close();
    used.forEach(image -> engine.send("DELETE", "/images/" + image + "?force=1"));
    registry.close();
  }

  private void file(String name, String content) throws IOException {
    Path secrets = Files.createDirectories(platform.home().resolve("secrets/default"));
    Files.writeString(secrets.resolve(name), content);
  }

  private Pushed push(String repository) {
    return RegistryImage.of(Layer.with("marker", repository)).push(registry, repository, "1");
  }

  private String withoutLogin(String image) {
    used.add(image);
    String name = "private-" + ++made;
    platform.profile(
        name,
        "id: profile.%s\nversion: 1\nextends: docker-debian@2\nimage: %s\n".formatted(name, image));
    return name;
  }

  private String profile(String image, String secret) {
    used.add(image);
    String name = "private-" + ++made;
    platform.profile(
        name,
        """
        id: profile.%s
        version: 1
        extends: docker-debian@2
        image: %s
        secret_refs:
          - {name: REGISTRY, ref: "file:%s", use: provision, registry: "%s", username: robot}
        """
            .formatted(name, image, secret, image.substring(0, image.indexOf('/'))));
    return name;
  }

  private Api.Reply create(String profile) {
    return api.post("/v1/sandboxes", Api.create(profile), "Prefer", "wait=120");
  }

  private String works(String profile) {
    Api.Reply reply = create(profile);
    assertThat(reply.status()).as(reply.text()).isEqualTo(201);
    return reply.field("/id");
  }

  private void fails(String profile, String... said) throws IOException {
    Api.Reply reply = create(profile);
    assertThat(reply.code()).as(reply.text()).isEqualTo("IMAGE_PULL");
    assertThat(reply.field("/detail")).contains(said);
    assertThat(reply.text()).doesNotContain(password).doesNotContain(guessed);
    assertThat(engine.containers(reply.field("/sandbox_id").substring(3))).isEmpty();
    assertThat(new Canary(password).found(platform)).isEmpty();
    assertThat(new Canary(guessed).found(platform)).isEmpty();
  }

  @Test
  void anImageIsFetchedByTagAndByDigestAndThePasswordIsNowhereElse() throws IOException {
    Pushed byTag = push("team/tagged");
    Pushed byDigest = push("team/digested");
    for (String image : List.of(byTag.byTag(), byDigest.byDigest())) {
      String sandbox = works(profile(image, RIGHT));
      assertThat(api.access(sandbox).download("/marker").text()).startsWith("team/");
      assertThat(new Canary(password).found(platform)).isEmpty();
      assertThat(api.get("/v1/sandboxes/" + sandbox).text()).doesNotContain(password);
      JsonNode events = api.get("/v1/sandboxes/" + sandbox + "/events").json();
      assertThat(events.toString()).contains("sandbox.image_pull").doesNotContain(password);
      assertThat(engine.send("GET", "/images/" + image + "/json")).doesNotContain(password);
      assertThat(engine.containers(sandbox.substring(3)).keySet())
          .singleElement()
          .satisfies(
              id ->
                  assertThat(engine.container(id).toString())
                      .contains("sandboxer")
                      .doesNotContain(password));
    }
    String shown = "shown-" + UUID.randomUUID();
    assertThat(create(withoutLogin("127.0.0.1:1/none:" + shown)).text()).contains(shown);
    assertThat(new Canary(shown).found(platform)).isNotEmpty();
  }

  @Test
  void withoutTheRightLoginThereIsNoImage() throws IOException {
    String image = push("team/closed").byTag();
    fails(
        withoutLogin(image),
        image,
        "add a login of " + registry.address() + " to secret_refs of the profile");
    fails(profile(image, WRONG), image, registry.address() + " refuses 'robot'", "correct the");
  }

  /** The Engine gives what it has to anybody. */
  @Test
  void anImageThatTookALoginIsNotUsedWithoutOne() throws IOException {
    String image = push("team/kept").byTag();
    works(profile(image, RIGHT));
    String without = withoutLogin(image);
    fails(without, "the registry does not give it to this profile", "add a login of");
    fails(profile(image, WRONG), "the registry does not give it to this profile");

    platform.kill();
    platform.restart(settings);
    api = platform.api();
    fails(without, "the registry does not give it to this profile");
    works(profile(image, RIGHT));
  }

  @Test
  void aChangedPasswordCountsForTheNextSandbox() throws IOException {
    String image = push("team/rotated").byTag();
    String profile = profile(image, "rotating");
    file("rotating", password);
    works(profile);
    String next = "canary-" + UUID.randomUUID();
    registry.login("robot", next);
    fails(profile, "refuses 'robot'");
    file("rotating", next);
    await().atMost(PATIENCE).until(() -> create(profile).status() == 201);
    assertThat(new Canary(next).found(platform)).isEmpty();
  }

  @Test
  void aMissingPasswordIsRefusedBeforeAnythingIsMade() {
    String profile = profile(push("team/missing").byTag(), "absent");
    Api.Reply refused = create(profile);
    assertThat(refused.status()).as(refused.text()).isEqualTo(400);
    assertThat(refused.field("/detail")).contains("secret 'REGISTRY' (file:absent): there is no");
    assertThat(api.get("/v1/sandboxes?profile=" + profile).json().path("items")).isEmpty();
  }

  /** The Engine tries again by itself for a while, and then goes on where it was. */
  @Test
  void aRegistryThatDiesInTheMiddleAndComesBackServesTheImage() throws Exception {
    String content = HexFormat.of().formatHex(bytes(4 << 20));
    Pushed pushed =
        RegistryImage.of(Layer.with("marker", content)).push(registry, "team/large", "1");
    try (StallingLink link = new StallingLink(port())) {
      String image = pushed.byTag().replace(registry.address(), link.address());
      var stalled = link.stallAfter(1 << 20);
      Api.Reply begun = api.post("/v1/sandboxes", Api.create(profile(image, RIGHT)));
      stalled.get(2, TimeUnit.MINUTES);
      registry.kill();
      link.release();
      registry.comeBack();
      String sandbox = begun.field("/id");
      await()
          .atMost(PATIENCE)
          .until(() -> api.get("/v1/sandboxes/" + sandbox).field("/state").equals("ready"));
      assertThat(api.access(sandbox).download("/marker").text()).isEqualTo(content);
    }
  }

  private int port() {
    return Integer.parseInt(registry.address().substring(registry.address().indexOf(':') + 1));
  }

  private static byte[] bytes(int count) {
    byte[] bytes = new byte[count];
    new Random(7).nextBytes(bytes);
    return bytes;
  }

  @Test
  void whileTheRegistryIsGoneACreateFailsAndTheNextOneWorks() throws Exception {
    String profile = profile(push("team/away").byTag(), RIGHT);
    registry.kill();
    try {
      fails(profile, "refused", "docker pull");
    } finally {
      registry.comeBack();
    }
    works(profile);
  }

  @Test
  void whatIsNotWhatItsDigestSaysIsNotUsed() throws IOException {
    Pushed pushed = push("team/tampered");
    Path layer = registry.blob(pushed.layers().getFirst());
    byte[] own = Files.readAllBytes(layer);
    byte[] other = own.clone();
    other[other.length - 1] ^= 1;
    Files.write(layer, other);
    String profile = profile(pushed.byDigest(), RIGHT);
    fails(profile, pushed.byDigest());
    Files.write(layer, own);
    works(profile);
  }

  @Test
  void anIndexHasTheImageOfThisMachineOrTheFailureNamesIt() {
    RegistryImage image = RegistryImage.of(Layer.with("marker", "here"));
    RegistryImage foreign = image.architecture("s390x");
    Pushed both = RegistryImage.pushAll(registry, "team/both", "1", foreign, image);
    String sandbox = works(profile(both.byDigest(), RIGHT));
    assertThat(api.access(sandbox).download("/marker").text()).isEqualTo("here");

    Pushed other = RegistryImage.pushAll(registry, "team/other", "1", foreign);
    Api.Reply none = create(profile(other.byTag(), RIGHT));
    assertThat(none.code()).as(none.text()).isEqualTo("IMAGE_PULL");
    assertThat(none.field("/detail")).contains("no matching manifest for linux/");
    Api.Reply plain = create(profile(foreign.push(registry, "team/plain", "1").byTag(), RIGHT));
    assertThat(plain.code()).as(plain.text()).isIn("UNSUPPORTED", "IMAGE_PULL");
    assertThat(plain.field("/detail")).contains("s390x");
  }

  @Test
  void anImageMayHaveAHundredLayers() {
    Layer[] layers =
        IntStream.range(0, 100)
            .mapToObj(n -> Layer.with("layer-" + n, String.valueOf(n)))
            .toArray(Layer[]::new);
    Pushed pushed = RegistryImage.of(layers).push(registry, "team/layers", "1");
    Api.Dataplane inside = api.access(works(profile(pushed.byTag(), RIGHT)));
    assertThat(inside.download("/layer-0").text()).isEqualTo("0");
    assertThat(inside.download("/layer-99").text()).isEqualTo("99");
  }

  @Test
  void aTenantUsesTheImagesThatItMay() {
    Api teamA = tenant("team-a");
    String other = withoutLogin(registry.address() + "/team-b/app:1");
    for (String door : List.of("/v1/sandboxes", "/v1/quotes", "/v1/routes/explain")) {
      Api.Reply refused = teamA.post(door, Api.create(other));
      assertThat(refused.status()).as(door + refused.text()).isEqualTo(400);
      assertThat(refused.code()).isEqualTo("VALIDATION");
      assertThat(refused.field("/profile_key")).isEqualTo("image");
      assertThat(refused.field("/detail"))
          .contains(
              registry.address() + "/team-b/app:1 is not allowed for tenant 'team-a'",
              "SANDBOXER_IMAGES allows [docker.io/library/*, 127.0.0.1:*/team-a/*]");
    }
    assertThat(teamA.get("/v1/sandboxes").json().path("items")).isEmpty();
    assertThat(teamA.post("/v1/quotes", Api.create("docker-debian")).status()).isEqualTo(200);
    Api.Reply unlisted = tenant("team-c").post("/v1/sandboxes", Api.create("docker-debian"));
    assertThat(unlisted.field("/detail"))
        .contains("debian:bookworm-slim is not allowed for tenant 'team-c'", "allows none");
  }

  private Api tenant(String name) {
    assertThat(api.post("/v1/tenants", "{\"name\": \"%s\"}".formatted(name)).status())
        .isEqualTo(201);
    return api.withKey(
        api.post(
                "/v1/keys",
                "{\"name\": \"%s\", \"role\": \"consumer\", \"tenant\": \"%s\"}"
                    .formatted(name, name))
            .field("/key"));
  }
}
