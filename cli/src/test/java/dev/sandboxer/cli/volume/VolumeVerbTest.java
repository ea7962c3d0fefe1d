package dev.sandboxer.cli.volume;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.cli.support.CommandLineRun;
import dev.sandboxer.cli.support.StandIn;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class VolumeVerbTest {
  private static final String VOLUME =
      """
      {"name": "data", "state": "ready", "size_bytes": 1073741824, "used_bytes": 3481,
       "extension_id": "ext.nsjail", "host": "n1\\u202e", "sandboxes": [
         {"sandbox_id": "sb_a", "mode": "rw", "state": "active"}],
       "created_at": "2100-01-01T00:00:00Z"}""";

  private final List<JsonObject> bodies = new CopyOnWriteArrayList<>();
  private StandIn platform;

  @BeforeEach
  void start() throws IOException {
    platform = new StandIn();
  }

  @AfterEach
  void stop() throws IOException {
    platform.close();
  }

  private CommandLineRun created(String... options) {
    platform.next(
        "POST /v1/volumes",
        request ->
            request
                .body()
                .onSuccess(
                    body -> {
                      bodies.add(body.toJsonObject());
                      request.response().setStatusCode(201).end(VOLUME);
                    }));
    String[] words = new String[options.length + 3];
    System.arraycopy(new String[] {"volume", "create", "data"}, 0, words, 0, 3);
    System.arraycopy(options, 0, words, 3, options.length);
    CommandLineRun run = CommandLineRun.against(platform);
    assertThat(run.run(words)).as(run.err()).isZero();
    return run;
  }

  @Test
  void createPrintsTheNameAloneAndTheRestBesideIt() {
    CommandLineRun run = created("--size", "1GiB");
    assertThat(run.out()).isEqualTo("data\n");
    assertThat(run.err()).isEqualTo("ready: ext.nsjail on n1\\u202e\n");
    var _ = created("--size=1GiB", "--profile=tests");
    var _ = created("--size=64MiB", "--extension=ext.docker", "--host=engine-2");
    assertThat(bodies)
        .containsExactly(
            new JsonObject("{\"name\": \"data\", \"size\": 1073741824, \"profile\": \"local\"}"),
            new JsonObject("{\"name\": \"data\", \"size\": 1073741824, \"profile\": \"tests\"}"),
            new JsonObject(
                """
                {"name": "data", "size": 67108864, "extension": "ext.docker", "host": "engine-2"}"""));
    assertThat(new JsonObject(created("--size=1GiB", "--json").out()))
        .isEqualTo(new JsonObject(VOLUME));
  }

  @Test
  void volumesAreATable() {
    JsonObject other =
        new JsonObject(VOLUME).put("name", "old").put("state", "removing").put("host", "n2");
    JsonObject page =
        new JsonObject().put("items", new JsonArray(List.of(new JsonObject(VOLUME), other)));
    for (int call = 0; call < 3; call++) {
      platform.next("GET /v1/volumes", StandIn.text(200, page.encode()));
    }
    CommandLineRun run = CommandLineRun.against(platform);
    assertThat(run.run("volume", "ls")).as(run.err()).isZero();
    assertThat(run.out())
        .isEqualTo(
            """
            NAME  STATE     SIZE     BACKEND     HOST      AGE
            data  ready     1.0 GiB  ext.nsjail  n1\\u202e  -
            old   removing  1.0 GiB  ext.nsjail  n2        -
            """);
    CommandLineRun names = CommandLineRun.against(platform);
    assertThat(names.run("volume", "ls", "-q")).isZero();
    assertThat(names.out()).isEqualTo("data\nold\n");
    CommandLineRun json = CommandLineRun.against(platform);
    assertThat(json.run("volume", "ls", "--json")).isZero();
    assertThat(new JsonObject(json.out()).getJsonArray("items")).hasSize(2);
  }

  @Test
  void showSaysAll() {
    JsonObject failed =
        new JsonObject(VOLUME)
            .put("failure", new JsonObject().put("code", "UNAVAILABLE").put("message", "gone"));
    platform.next("GET /v1/volumes/data", StandIn.text(200, failed.encode()));
    CommandLineRun run = CommandLineRun.against(platform);
    assertThat(run.run("volume", "show", "data")).as(run.err()).isZero();
    assertThat(run.out())
        .isEqualTo(
            """
            name       data
            state      ready
            size       1.0 GiB
            used       3.4 KiB
            backend    ext.nsjail
            host       n1\\u202e
            created    2100-01-01T00:00:00Z
            sandbox    sb_a, rw, active
            failure    UNAVAILABLE: gone
            """);
  }

  @Test
  void oneThatCannotBeRemovedDoesNotKeepTheOthers() {
    assertThat(removed("volume", "rm", "used", "data", "slow").out())
        .isEqualTo(
            """
            data removed
            slow is being removed: its backend has not done it yet, and is asked again
            """);
    JsonObject document =
        new JsonObject(removed("volume", "rm", "--json", "used", "data", "slow").out());
    assertThat(document.getJsonArray("removed")).containsExactly("data");
    assertThat(document.getJsonArray("removing")).containsExactly("slow");
    assertThat(document.getJsonArray("failed").getJsonObject(0).getString("name"))
        .isEqualTo("used");
  }

  private CommandLineRun removed(String... words) {
    platform
        .next("DELETE /v1/volumes/data", StandIn.text(204, ""))
        .next("DELETE /v1/volumes/slow", StandIn.text(202, VOLUME))
        .next(
            "DELETE /v1/volumes/used",
            StandIn.problem(409, "VOLUME_IN_USE", "sb_a has it", new JsonObject()));
    CommandLineRun run = CommandLineRun.against(platform);
    assertThat(run.run(words)).isEqualTo(125);
    assertThat(run.err()).isEqualTo("sandboxer: used: sb_a has it (VOLUME_IN_USE, req_7)\n");
    return run;
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "[]", "7", "{\"name\": \"../keys\"}", "{\"name\": 7.5}"})
  void anAnswerWithoutANameIsNoVolume(String reply) {
    platform.next("POST /v1/volumes", StandIn.text(201, reply));
    CommandLineRun create = CommandLineRun.against(platform);
    assertThat(create.run("volume", "create", "data", "--size", "1GiB")).isEqualTo(125);
    assertThat(create.err()).contains("is it a Sandboxer platform?");
    assertThat(create.out()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "volume|volume create, ls, show or rm",
        "volume create data|--size",
        "volume create ../keys --size 1GiB|\"../keys\" is no volume's name",
        "volume create data --size 1GiB --host h|--host needs --extension",
        "volume create data --size 1GiB --profile p --extension e|--profile goes neither",
        "volume show A|\"A\" is no volume's name",
        "volume rm a ..|\"..\" is no volume's name",
        "volume rm|NAME",
        "volume ls --limit 0|--limit 0 must be at least 1",
      })
  void aWrongCallSaysWhatIsWrong(String words, String expected) {
    CommandLineRun run = CommandLineRun.against(platform);
    assertThat(run.run(words.split(" ", -1))).isEqualTo(2);
    assertThat(run.err()).contains(expected);
    assertThat(platform.calls).isEmpty();
  }
}
