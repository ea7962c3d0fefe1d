package dev.sandboxer.cli.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.cli.support.CommandLineRun;
import dev.sandboxer.cli.support.StandIn;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostsVerbTest {
  private static final String HOSTS =
      """
      {"items": [
        {"name": "lab", "extension": "ext.docker", "state": "unreachable", "region": "eu",
         "capacity": {"sandboxes": 20, "cpus": null, "memory_bytes": 17179869184},
         "load": {"sandboxes": 3, "cpus": 4.50, "memory_bytes": 1610612736, "share": 0.15},
         "probe": {"ext.docker": {"usable": false, "detail": "it is \\u001b[31mdown"}}},
        {"name": "n1", "extension": null, "state": "ready", "region": null,
         "capacity": {"sandboxes": null, "cpus": null, "memory_bytes": null},
         "load": {"sandboxes": 0, "cpus": 0, "memory_bytes": 0, "share": 0}, "probe": {}}],
       "next_cursor": null}
      """;
  private static final String ROUTE =
      """
      {"strategy": "explicit",
       "candidates": [{"rank": 1, "extension": "ext.nsjail", "host": "n1", "score": 0,
         "reason": "number 1 in the list", "load": 0.25, "limited": false,
         "quote": {"amount": "0.00", "currency": "USD"}}],
       "rejected": [{"extension": "ext.docker", "host": "lab", "reasons": [
         {"profile_key": "isolation.level", "message": "it is process"}]}]}
      """;

  private StandIn platform;

  @BeforeEach
  void start() throws IOException {
    platform = new StandIn();
  }

  @AfterEach
  void stop() throws IOException {
    platform.close();
  }

  @Test
  void aTableWithLoadAndTheTroublesBesideIt() {
    platform.next("GET /v1/hosts", StandIn.text(200, HOSTS));
    CommandLineRun hosts = CommandLineRun.against(platform);
    assertThat(hosts.run("hosts")).as(hosts.err()).isZero();
    assertThat(hosts.out())
        .isEqualTo(
            """
            NAME  EXTENSION   STATE        SANDBOXES  CPUS  MEMORY           LOAD  REGION
            lab   ext.docker  unreachable  3 of 20    4.5   1.5 of 16.0 GiB  15 %  eu
            n1    any         ready        0          0     0.0 GiB          0 %   -
            """);
    assertThat(hosts.err()).isEqualTo("lab: ext.docker cannot be used: it is \\u001b[31mdown\n");
  }

  @Test
  void whatIsAddedReachesTheApi() {
    List<JsonObject> sent = new CopyOnWriteArrayList<>();
    platform.next("POST /v1/hosts", StandIn.recording(sent, 201, "{\"name\": \"lab\"}"));
    CommandLineRun add = CommandLineRun.against(platform);
    assertThat(
            add.run(
                "hosts",
                "add",
                "lab",
                "--extension",
                "ext.x",
                "--address",
                "unix:///s",
                "--label",
                "disk=ssd",
                "--setting",
                "n=3",
                "--setting",
                "t=some text",
                "--credential",
                "key=env:K",
                "--sandboxes",
                "20",
                "--memory",
                "2Gi"))
        .as(add.err())
        .isZero();
    assertThat(sent)
        .containsExactly(
            new JsonObject(
                """
                {"name": "lab", "extension": "ext.x", "address": "unix:///s",
                 "labels": {"disk": "ssd"}, "settings": {"n": 3, "t": "some text"},
                 "credentials": {"key": "env:K"},
                 "capacity": {"sandboxes": 20, "memory_bytes": 2147483648}}"""));
  }

  @Test
  void aChangeKeepsTheRest() {
    platform.next(
        "GET /v1/hosts/lab",
        StandIn.text(
            200,
            """
            {"name": "lab", "address": "ssh://u@a", "settings": {"keys": ["a"], "jump": "u@j", "n": 1},
             "labels": {"disk": "ssd"}, "capacity": {"sandboxes": 20, "cpus": null}}
            """));
    List<JsonObject> sent = new CopyOnWriteArrayList<>();
    platform.next("PATCH /v1/hosts/lab", StandIn.recording(sent, 200, "{\"name\": \"lab\"}"));
    CommandLineRun change = CommandLineRun.against(platform);
    assertThat(
            change.run(
                "hosts", "change", "lab", "--setting", "n=2", "--setting", "jump=", "--cpus", "3"))
        .as(change.err())
        .isZero();
    assertThat(sent)
        .containsExactly(
            new JsonObject(
                """
                {"settings": {"n": 2, "keys": ["a"]}, "capacity": {"cpus": 3, "sandboxes": 20}}"""));
    CommandLineRun nothing = CommandLineRun.against(platform);
    assertThat(nothing.run("hosts", "change", "lab")).isNotZero();
    assertThat(nothing.err()).contains("nothing to change was given");
  }

  /** On a terminal the first probe of a machine behind SSH is waited for. */
  @ParameterizedTest
  @CsvSource({
    "true, , it can be used",
    "false, ssh: nobody listens, it cannot be used yet: ssh: nobody"
  })
  void whatTheFirstProbeFound(boolean usable, @Nullable String detail, String said) {
    platform.next("POST /v1/hosts", StandIn.text(201, "{\"name\": \"b\"}"));
    platform.next(
        "GET /v1/hosts/b",
        StandIn.text(
            200,
            new JsonObject()
                .put(
                    "probe",
                    new JsonObject()
                        .put("ext.x", new JsonObject().put("usable", usable).put("detail", detail)))
                .encode()));
    CommandLineRun add = CommandLineRun.against(platform).terminal();
    assertThat(add.run("hosts", "add", "ssh://deploy@b", "--extension", "ext.x")).isZero();
    assertThat(add.err()).contains(said).doesNotContain("[y/N]");
  }

  /** On a terminal the key is shown, and pinned only by a yes. */
  @ParameterizedTest
  @ValueSource(strings = {"y", "n", ""})
  void anUnknownHostKeyIsAQuestion(String answer) {
    List<JsonObject> sent = new CopyOnWriteArrayList<>();
    String key = "SHA256:" + "a".repeat(43);
    platform.next("POST /v1/hosts", StandIn.text(201, "{\"name\": \"build-1\"}"));
    platform.next("GET /v1/hosts/build-1-example-com", StandIn.text(200, "{\"probe\": {}}"));
    platform.next(
        "GET /v1/hosts/build-1-example-com",
        StandIn.text(
            200,
            "{\"probe\": {\"ext.x\": {\"usable\": false, \"detail\": \"host_key: the server shows the key %s, which is not known\"}}}"
                .formatted(key)));
    platform.next("PATCH /v1/hosts/build-1-example-com", StandIn.recording(sent, 200, "{}"));
    CommandLineRun add = CommandLineRun.against(platform).terminal().stdin(answer + "\n");
    String address = "ssh://deploy@build-1.example.com:22";
    assertThat(add.run("hosts", "add", address, "--extension", "ext.x", "--setting", "path=/bin"))
        .as(add.err())
        .isZero();
    assertThat(add.err()).contains("the server shows the key " + key + "\n", "[y/N]");
    if (answer.equals("y")) {
      assertThat(sent)
          .containsExactly(
              new JsonObject(
                  "{\"settings\": {\"path\": \"/bin\", \"host_key\": [\"%s\"]}}".formatted(key)));
    } else {
      assertThat(sent).isEmpty();
      assertThat(add.err()).contains("not trusted");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"much", "16X", "0Gi", "1.5Gi", "9999999999Ti"})
  void aWrongSizeIsNamed(String size) {
    CommandLineRun add = CommandLineRun.against(platform);
    assertThat(add.run("hosts", "add", "lab", "--extension", "ext.x", "--memory", size))
        .isEqualTo(2);
    assertThat(add.err()).contains("--memory", "'" + size + "' must be bytes or a size such as");
    assertThat(platform.calls).isEmpty();
  }

  @Test
  void aNameThatIsNoneIsNotSent() {
    CommandLineRun show = CommandLineRun.against(platform);
    assertThat(show.run("hosts", "show", "../keys")).isEqualTo(2);
    assertThat(show.err()).contains("is no host's name");
    assertThat(platform.calls).isEmpty();
  }

  @Test
  void aRouteIsATableOfReasons() {
    platform.next("POST /v1/routes/explain", StandIn.text(200, ROUTE));
    CommandLineRun explain = CommandLineRun.against(platform);
    assertThat(explain.run("route", "explain", "small")).as(explain.err()).isZero();
    assertThat(explain.out())
        .isEqualTo(
            """
            RANK  BACKEND     HOST  LOAD  COST      WHY
            1     ext.nsjail  n1    25 %  0.00 USD  number 1 in the list
            -     ext.docker  lab   -     -         isolation.level: it is process
            """);
    assertThat(explain.err()).isEqualTo("ordered by explicit\n");
  }

  @Test
  void routeAloneSaysWhatItNeeds() {
    CommandLineRun route = CommandLineRun.against(platform);
    assertThat(route.run("route")).isEqualTo(2);
    assertThat(route.err()).contains("explain PROFILE", "show SANDBOX");
  }
}
