package dev.sandboxer.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.cli.support.CommandLineRun;
import dev.sandboxer.cli.support.StandIn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DoctorVerbTest {
  private static final String USABLE =
      """
      {"usable":true,"checks":[{"name":"cgroup","ok":false,"detail":"no cgroup delegated","remedy":"systemctl edit user@"}],
       "not_enforced":["memory","pids"]}\
      """;
  private static final String CLOSED =
      """
      {"usable":false,"checks":[{"name":"user_namespaces","ok":false,"detail":"closed by AppArmor\\u001b[2J",
       "remedy":"sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"}]}\
      """;

  @TempDir private Path dist;
  @TempDir private Path home;

  @Test
  void saysThatSandboxesRunAndWhatIsNotEnforced() throws IOException {
    CommandLineRun doctor = doctor(USABLE);
    assertThat(doctor.run("doctor")).isZero();
    assertThat(doctor.out())
        .contains("ok    backend nsjail: a jail was tried and works, not enforced: memory pids")
        .contains("BAD   nsjail cgroup: no cgroup delegated", "-> systemctl edit user@")
        .endsWith("Sandboxes can run.\n");
  }

  @Test
  void saysWhyNothingRunsAndWhatMendsIt() throws IOException {
    CommandLineRun doctor = doctor(CLOSED);
    assertThat(doctor.run("doctor")).isEqualTo(1);
    assertThat(doctor.out())
        .contains(
            "BAD   backend nsjail: cannot run here: closed by AppArmor\\u001b[2J",
            "-> sudo sysctl -w")
        .contains("BAD   platform: nothing answers", "-> ./sandboxer up")
        .endsWith("No sandbox can run here yet.\n");
  }

  @Test
  void aHomeWithoutARunningPlatformIsTold() throws IOException {
    CommandLineRun doctor = doctor(USABLE).with("SANDBOXER_URL", "").with("SANDBOXER_KEY", "");
    assertThat(doctor.run("doctor")).isZero();
    assertThat(doctor.out())
        .contains("BAD   platform: no platform is running for this home; ./sandboxer up --detach");
  }

  @Test
  void aProbeThatAnswersNonsenseIsNoGoodNews() throws IOException {
    for (String answer : new String[] {"", "nonsense", "[]", "{}"}) {
      assertThat(doctor(answer).run("doctor")).as(answer).isEqualTo(1);
    }
  }

  @Test
  void toldAsJson() throws IOException {
    CommandLineRun doctor =
        doctor(CLOSED)
            .with(
                "SANDBOXER_MACHINE",
                "JDK 25|ok|25.0.3 (/jdk)|\nGo|bad|not on the PATH|apt-get install -y golang-go");
    assertThat(doctor.run("doctor", "--json")).isEqualTo(1);
    JsonNode document = new ObjectMapper().readTree(doctor.out());
    assertThat(document.path("usable").asBoolean()).isFalse();
    assertThat(document.path("checks").findValuesAsText("name"))
        .contains("JDK 25", "Go", "home", "platform", "backend nsjail");
    assertThat(document.path("checks").findValuesAsText("remedy"))
        .contains("apt-get install -y golang-go");
  }

  @Test
  void aRunningPlatformIsAskedForItsExtensions() throws IOException {
    try (StandIn platform = new StandIn()) {
      CommandLineRun doctor =
          doctor(USABLE).with("SANDBOXER_URL", platform.url()).with("SANDBOXER_KEY", StandIn.KEY);
      assertThat(doctor.run("doctor")).isZero();
      assertThat(doctor.out())
          .contains(
              "ok    platform: ready at",
              "ok    extension ext.nsjail",
              "BAD   extension ext.bad: wants api_version 9");
    }
  }

  @Test
  void anExtensionThatThePlatformTriedInVainIsTold() throws IOException {
    try (StandIn platform = new StandIn()) {
      platform.next(
          "GET /v1/extensions",
          StandIn.text(
              200,
              """
              {"items": [{"id": "ext.docker", "version": "1", "state": "loaded",
                "probe": {"usable": false, "checks": [
                  {"name": "engine", "ok": true, "detail": "Docker 27"},
                  {"name": "container", "ok": false, "detail": "NO_SPACE: disk full",
                   "remedy": "docker image prune"}]}}], "next_cursor": null}
              """));
      CommandLineRun doctor =
          doctor(USABLE).with("SANDBOXER_URL", platform.url()).with("SANDBOXER_KEY", StandIn.KEY);
      assertThat(doctor.run("doctor")).isZero();
      assertThat(doctor.out())
          .contains(
              "BAD   extension ext.docker: version 1, cannot run a sandbox here: container:"
                  + " NO_SPACE: disk full",
              "-> docker image prune");
    }
  }

  @Test
  void whatTrialsOfHostsFoundIsTold() throws IOException {
    try (StandIn platform = new StandIn()) {
      platform.next(
          "GET /v1/hosts",
          StandIn.text(
              200,
              """
              {"items": [
                {"name": "cluster-1", "probe": {"ext.k8s": {"usable": false,
                  "detail": "may not create pods in namespace boxes"}}},
                {"name": "engine-2", "probe": {"ext.docker": {"usable": true}}},
                {"name": "new", "probe": {}}], "next_cursor": null}
              """));
      CommandLineRun doctor =
          doctor(USABLE).with("SANDBOXER_URL", platform.url()).with("SANDBOXER_KEY", StandIn.KEY);
      assertThat(doctor.run("doctor")).isZero();
      assertThat(doctor.out())
          .contains(
              "BAD   host cluster-1: ext.k8s cannot be used: may not create pods in namespace boxes",
              "-> sandboxer hosts show cluster-1",
              "ok    host engine-2: ext.docker can be used")
          .doesNotContain("host new");
    }
  }

  @Test
  void aHomeThatIsAFileIsTold() throws IOException {
    Path file = Files.writeString(home.resolve("file"), "");
    CommandLineRun doctor = doctor(USABLE).with("SANDBOXER_HOME", file.toString());
    assertThat(doctor.run("doctor")).isZero();
    assertThat(doctor.out()).contains("BAD   home: " + file + " cannot be written");
  }

  private CommandLineRun doctor(String report) throws IOException {
    for (String machine : new String[] {"amd64", "arm64"}) {
      Path boxd = Files.createDirectories(dist.resolve("boxd/linux-" + machine)).resolve("boxd");
      Files.writeString(boxd, "#!/bin/sh\ncat <<'END'\n" + report + "\nEND\n");
      Files.setPosixFilePermissions(boxd, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    return new CommandLineRun()
        .with("SANDBOXER_DIST", dist.toString())
        .with("SANDBOXER_HOME", home.toString())
        .with("SANDBOXER_DOCKER_HOST", "unix://" + home.resolve("no.sock"))
        .with("SANDBOXER_URL", "http://127.0.0.1:1")
        .with("SANDBOXER_KEY", "x");
  }
}
