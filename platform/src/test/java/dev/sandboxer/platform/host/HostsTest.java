package dev.sandboxer.platform.host;

import static dev.sandboxer.platform.testing.InProcess.asking;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.not;
import static org.hamcrest.Matchers.nullValue;

import dev.sandboxer.platform.testing.InProcess;
import dev.sandboxer.testing.client.Api;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.path.json.JsonPath;
import io.restassured.response.ValidatableResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Hosts over REST: registered, tried, filled, emptied, removed; and the routes that follow. */
@QuarkusTest
@TestProfile(InProcess.class)
class HostsTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String HOSTS = "/v1/hosts";
  private static final String ALL = "/v1/sandboxes";

  private final List<String> registered = new ArrayList<>();

  @AfterEach
  void removeAll() {
    registered.forEach(
        name -> asking().queryParam("force", true).delete(HOSTS + "/" + name).statusCode());
  }

  private String register(String more) {
    String name = "h-" + UUID.randomUUID();
    asking()
        .body(
            """
            {"name": "%s", "extension": "ext.process"%s}"""
                .formatted(name, more.isEmpty() ? "" : ", " + more))
        .post(HOSTS)
        .then()
        .statusCode(201)
        .header("Location", HOSTS + "/" + name)
        .body("state", equalTo("ready"))
        .body("load.sandboxes", equalTo(0));
    registered.add(name);
    return name;
  }

  private static String routed(String routing) throws IOException {
    return InProcess.profile(
        """
        routing: {%s}
        best_effort: [uid, memory, pids, cpus, workspace, tmp, open_files]
        """
            .formatted(routing));
  }

  private static String on(String... hosts) throws IOException {
    return routed(
        "candidates: ["
            + List.of(hosts).stream()
                .map("{extension: ext.process, host: %s}"::formatted)
                .collect(Collectors.joining(", "))
            + "]");
  }

  private static ValidatableResponse create(String profile) {
    return asking().header("Prefer", "wait=60").body(Api.create(profile)).post(ALL).then();
  }

  private static String created(String profile) {
    return create(profile).statusCode(201).extract().path("id");
  }

  private static ValidatableResponse sandbox(String id) {
    return asking().get(ALL + "/" + id).then();
  }

  private static ValidatableResponse explain(String profile) {
    return asking().body(Api.create(profile)).post("/v1/routes/explain").then().statusCode(200);
  }

  private static void delete(String id) {
    asking().header("Prefer", "wait=60").delete(ALL + "/" + id).then().statusCode(200);
  }

  private static void post(String host, String verb, String body) {
    asking().body(body).post(HOSTS + "/" + host + "/" + verb).then().statusCode(200);
  }

  @Test
  void aHostIsTriedSoonAndShowsItsLoad() throws IOException {
    String host = register("\"region\": \"eu-west\", \"labels\": {\"disk\": \"ssd\"}");
    String id = created(on(host));
    sandbox(id).body("host", equalTo(host)).body("extension_id", equalTo("ext.process"));
    asking()
        .get(HOSTS + "/" + host)
        .then()
        .body("load.sandboxes", equalTo(1))
        .body("region", equalTo("eu-west"))
        .body("labels.disk", equalTo("ssd"));
    delete(id);
    asking().get(HOSTS + "/" + host).then().body("load.sandboxes", equalTo(0));
    asking().get(HOSTS).then().body("items.name", hasItem(host));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'name': 'Big', 'extension': 'ext.process'} | name",
        "{'name': 'a', 'extension': 'ext.none'} | there is no extension 'ext.none'",
        "{'name': 'a', 'extension': 'ext.process', 'settings': {'x': 1}} | settings.x",
        "{'name': 'a', 'extension': 'ext.process', 'node': 'far'} | there is no node 'far'",
        "{'name': 'a', 'extension': 'ext.process', 'color': 1} | unknown fields",
        "{'name': 'a', 'extension': 'ext.process', 'capacity': {'cpus': 0}} | capacity.cpus",
        "{'name': 'a', 'extension': 'ext.process', 'capacity': {'pods': 1}} | unknown fields",
        "{'name': 'a', 'extension': 'ext.process', 'credentials': {'k': 's3cr3t'}} | never the secret",
        "{'name': 'a', 'extension': 'ext.process', 'credentials': {'k': 'env:SANDBOXER_DB_PASSWORD_FILE'}}"
            + " | of the platform itself",
        "{'name': 'a', 'extension': 'ext.process', 'credentials': {'k': 'file:x'}} | absolute path",
        "{'extension': 'ext.process'} | 'name' is missing",
      })
  void aWrongHostIsRefusedWithItsField(String body, String field) {
    asking()
        .body(body.replace('\'', '"'))
        .post(HOSTS)
        .then()
        .statusCode(400)
        .body("error.message", containsString(field))
        .body("error.message", not(containsString("s3cr3t")));
  }

  @Test
  void aNameIsTakenOnce() {
    String host = register("");
    asking()
        .body("{\"name\": \"%s\", \"extension\": \"ext.process\"}".formatted(host))
        .post(HOSTS)
        .then()
        .statusCode(409)
        .body("error.message", containsString("already"));
  }

  @Test
  void aHostIsNeverOverfilled() throws Exception {
    String host = register("\"capacity\": {\"sandboxes\": 3}");
    String profile = on(host);
    List<Integer> statuses;
    List<String> made = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<ValidatableResponse>> all = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        all.add(threads.submit(() -> create(profile)));
      }
      statuses = new ArrayList<>();
      for (Future<ValidatableResponse> one : all) {
        ValidatableResponse reply = one.get();
        int status = reply.extract().statusCode();
        statuses.add(status);
        if (status == 201) {
          made.add(reply.extract().path("id"));
        } else {
          reply.statusCode(503).body("error.code", equalTo("NO_CANDIDATE"));
        }
      }
    }
    assertThat(statuses.stream().filter(status -> status == 201)).hasSize(3);
    create(profile)
        .statusCode(503)
        .body("error.retryable", equalTo(true))
        .body("profile_key", equalTo("resources"))
        .body("error.message", containsString("full"));
    delete(made.getFirst());
    made.set(0, created(profile));
    made.forEach(HostsTest::delete);
  }

  @Test
  void theNextHostTakesWhatTheFirstHasNoRoomFor() throws IOException {
    String first = register("\"capacity\": {\"memory_bytes\": 600000000}");
    String second = register("\"capacity\": {\"cpus\": 2.5}");
    String profile =
        routed(
            "strategy: explicit, candidates: [{extension: ext.process, host: %s}, {extension: ext.process, host: %s}]"
                .formatted(first, second));
    List<String> made = new ArrayList<>();
    for (String expected : List.of(first, second, second)) {
      String id = created(profile);
      sandbox(id).body("host", equalTo(expected));
      made.add(id);
    }
    create(profile).statusCode(503);
    made.forEach(HostsTest::delete);
  }

  @Test
  void sandboxesSpreadOverEqualHosts() throws IOException {
    String a = register("\"labels\": {\"pool\": \"spread\"}, \"capacity\": {\"sandboxes\": 10}");
    String b = register("\"labels\": {\"pool\": \"spread\"}, \"capacity\": {\"sandboxes\": 10}");
    String profile = routed("candidates: [ext.process], require: {labels: {pool: spread}}");
    List<String> made = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      made.add(created(profile));
    }
    List<String> hosts =
        made.stream().map(id -> sandbox(id).extract().<String>path("host")).toList();
    assertThat(hosts.stream().filter(a::equals)).hasSize(2);
    assertThat(hosts.stream().filter(b::equals)).hasSize(2);
    made.forEach(HostsTest::delete);
  }

  @Test
  void whatIsToBeKeptApartGoesToDifferentHosts() throws IOException {
    String a = register("\"labels\": {\"pool\": \"apart\"}");
    String b = register("\"labels\": {\"pool\": \"apart\"}");
    String profile =
        InProcess.profile(
            """
            routing: {candidates: [ext.process], require: {labels: {pool: apart}}, apart: role}
            labels: {role: primary}
            best_effort: [uid, memory, pids, cpus, workspace, tmp, open_files]
            """);
    String one = created(profile);
    String other = created(profile);
    assertThat(Set.of(sandbox(one).extract().path("host"), sandbox(other).extract().path("host")))
        .isEqualTo(Set.of(a, b));
    delete(one);
    delete(other);
  }

  @Test
  void aCordonedHostTakesNothingNewAndKeepsWhatItHas() throws IOException {
    String host = register("");
    String profile = on(host);
    String id = created(profile);
    post(host, "cordon", "{}");
    create(profile)
        .statusCode(503)
        .body("profile_key", equalTo("routing.candidates"))
        .body("error.message", containsString("cordoned"));
    sandbox(id).body("state", equalTo("ready"));
    post(host, "uncordon", "{}");
    delete(created(profile));
    delete(id);
  }

  @Test
  void aDrainEndsWhatRuns() throws IOException {
    String host = register("");
    String id = created(on(host));
    post(host, "drain", "{\"running\": \"end\"}");
    await().atMost(PATIENCE).until(() -> sandbox(id).extract().path("state").equals("destroyed"));
    sandbox(id).body("end_reason", equalTo("drained"));
    asking().delete(HOSTS + "/" + host).then().statusCode(204);
    asking().get(HOSTS + "/" + host).then().statusCode(404);
  }

  @Test
  void aDrainMovesWhatMay() throws IOException {
    String host = register("");
    String other = register("");
    String id = created(on(host, other));
    sandbox(id).body("host", equalTo(host));
    post(host, "drain", "{\"running\": \"recreate\"}");
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                sandbox(id).extract().path("generation").equals(2)
                    && sandbox(id).extract().path("state").equals("ready"));
    sandbox(id).body("host", equalTo(other));
    delete(id);
  }

  /** There is no other place: it goes on rather than being lost. */
  @Test
  void aDrainLeavesWhatNoOtherHostTakes() throws IOException {
    String host = register("");
    String id = created(on(host));
    post(host, "drain", "{\"running\": \"recreate\"}");
    asking().get(HOSTS + "/" + host).then().body("state", equalTo("draining"));
    sandbox(id).body("generation", equalTo(1)).body("state", equalTo("ready"));
    post(host, "uncordon", "{}");
    delete(id);
  }

  @Test
  void aHostWithSandboxesIsRemovedByForceAlone() throws IOException {
    String host = register("");
    String id = created(on(host));
    asking()
        .delete(HOSTS + "/" + host)
        .then()
        .statusCode(409)
        .body("error.message", containsString("holds 1 sandboxes"));
    asking().queryParam("force", true).delete(HOSTS + "/" + host).then().statusCode(204);
    await().atMost(PATIENCE).until(() -> sandbox(id).extract().path("state").equals("destroyed"));
    assertThat(InProcess.boxdOf(id)).isEmpty();
  }

  @Test
  void theMachineOfARunningNodeStays() {
    String own = asking().get(HOSTS).then().extract().path("items.find{it.extension == null}.name");
    asking().queryParam("force", true).delete(HOSTS + "/" + own).then().statusCode(409);
    asking()
        .body("{\"address\": \"ssh://x\"}")
        .patch(HOSTS + "/" + own)
        .then()
        .statusCode(400)
        .body("field", equalTo("address"));
  }

  /** A host that works is tried every five minutes. */
  @Test
  void aChangedHostIsTriedAtOnceAndOneOfAnOldNameStartsUntried() {
    String host = register("");
    String first = tried(host, "");
    asking().body("{\"region\": \"eu\"}").patch(HOSTS + "/" + host).then().statusCode(200);
    String second = tried(host, first);
    asking().delete(HOSTS + "/" + host).then().statusCode(204);
    asking()
        .body("{\"name\": \"%s\", \"extension\": \"ext.process\"}".formatted(host))
        .post(HOSTS)
        .then()
        .statusCode(201)
        .body(not(containsString(second)));
  }

  /** When it was tried, once that is another time than before. */
  private static String tried(String host, String before) {
    return await()
        .atMost(PATIENCE)
        .until(
            () -> {
              JsonPath seen = asking().get(HOSTS + "/" + host).jsonPath();
              return seen.getString("probe.'ext.process'.probed_at");
            },
            at -> at != null && !at.equals(before));
  }

  /** A backend of a node's machine may have hosts on others as well. */
  @Test
  void everyNodeReachesAHostOnAnotherMachine() {
    String name = "h-" + UUID.randomUUID();
    String far =
        "{\"name\": \"%s\", \"extension\": \"ext.process\", \"address\": \"ssh://u@192.0.2.7\"%s}";
    String own = asking().get(HOSTS).then().extract().path("items.find{it.extension == null}.name");
    asking()
        .body(far.formatted(name, ", \"node\": \"" + own + "\""))
        .post(HOSTS)
        .then()
        .statusCode(400)
        .body("field", equalTo("node"));
    asking()
        .body(far.formatted(name, ""))
        .post(HOSTS)
        .then()
        .statusCode(201)
        .body("node", nullValue());
    registered.add(name);
    asking()
        .body("{\"address\": \"unix:///run/d.sock\"}")
        .patch(HOSTS + "/" + name)
        .then()
        .statusCode(400)
        .body("field", equalTo("address"));
    asking()
        .body("{\"address\": \"ssh://u@192.0.2.8\"}")
        .patch(HOSTS + "/" + name)
        .then()
        .statusCode(200)
        .body("address", equalTo("ssh://u@192.0.2.8"));
  }

  @Test
  void whatIsChangedReplacesTheWholeValue() {
    String host = register("\"region\": \"eu\", \"labels\": {\"a\": \"1\", \"b\": \"2\"}");
    asking()
        .body("{\"labels\": {\"c\": \"3\"}, \"capacity\": {\"cpus\": 4}}")
        .patch(HOSTS + "/" + host)
        .then()
        .statusCode(200)
        .body("labels.size()", equalTo(1))
        .body("labels.c", equalTo("3"))
        .body("region", equalTo("eu"))
        .body("capacity.cpus", equalTo(4));
    asking()
        .body("{\"region\": null, \"capacity\": {}}")
        .patch(HOSTS + "/" + host)
        .then()
        .body("region", nullValue())
        .body("capacity.cpus", nullValue());
  }

  @Test
  void explainSaysWhyAndChangesNothing() throws IOException {
    String far = register("\"region\": \"us\"");
    String near = register("\"region\": \"eu\"");
    String profile = routed("strategy: explicit, candidates: [ext.process], require: {region: eu}");
    explain(profile)
        .body("strategy", equalTo("explicit"))
        .body("candidates.host", equalTo(List.of(near)))
        .body("candidates[0].rank", equalTo(1))
        .body(
            "rejected.find{it.host == '%s'}.reasons[0].profile_key".formatted(far),
            equalTo("routing.require.region"))
        .body(
            "rejected.find{it.host == '%s'}.reasons[0].message".formatted(far),
            equalTo("it is eu and the host's is us"));
    asking().get(HOSTS + "/" + near).then().body("load.sandboxes", equalTo(0));
    String id = created(profile);
    asking()
        .get(ALL + "/" + id + "/route")
        .then()
        .statusCode(200)
        .body("generation", equalTo(1))
        .body("candidates.host", equalTo(List.of(near)))
        .body("rejected.host", hasItem(far))
        .body("attempts.size()", equalTo(1))
        .body("attempts[0].phase", equalTo("ready"))
        .body("attempts[0].host", equalTo(near));
    delete(id);
  }

  @Test
  void aRequestNarrowsOnlyWhereItsProfileLetsIt() throws IOException {
    String a = register("");
    String b = register("");
    String closed = on(a, b);
    String body =
        "{\"candidates\": [{\"extension\": \"ext.process\", \"host\": \"%s\"}]}".formatted(b);
    with(closed, body).statusCode(400).body("profile_key", equalTo("caller_routing"));
    String open =
        InProcess.profile(
            """
            routing: {candidates: [{extension: ext.process, host: %s}, {extension: ext.process, host: %s}], require: {hosting: self_hosted}}
            caller_routing: true
            best_effort: [uid, memory, pids, cpus, workspace, tmp, open_files]
            """
                .formatted(a, b));
    String id = with(open, body).statusCode(201).body("host", equalTo(b)).extract().path("id");
    delete(id);
    with(open, "{\"candidates\": [\"ext.docker\"]}")
        .statusCode(400)
        .body("error.message", containsString("does not allow ext.docker"));
    with(open, "{\"require\": {\"hosting\": \"saas\"}}")
        .statusCode(400)
        .body("error.message", containsString("routing.require.hosting"));
    with(open, "{\"strategy\": \"cheapest\"}")
        .statusCode(422)
        .body("profile_key", equalTo("routing.strategy"));
    with(open, "{\"colour\": 1}").statusCode(400);
  }

  private static ValidatableResponse with(String profile, String routing) {
    String body = Api.create(profile).strip();
    return asking()
        .header("Prefer", "wait=60")
        .body(body.substring(0, body.length() - 1) + ", \"routing\": " + routing + "}")
        .post(ALL)
        .then();
  }
}
