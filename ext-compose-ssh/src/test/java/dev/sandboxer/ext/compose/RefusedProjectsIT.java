package dev.sandboxer.ext.compose;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sandboxer.spi.Archive;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.spi.image.ImagePattern;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a project must not have is refused with its place, and nothing is left of it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RefusedProjectsIT {

  private static final String APP =
      """
      services:
        app:
          image: sandboxer-test/busybox:latest
          command: sleep 1000
      """;

  @TempDir private static Path home;
  private Scene scene;

  @BeforeAll
  void start() throws Exception {
    scene = new Scene(home.resolve("p"), Map.of());
  }

  @AfterAll
  void stop() throws Exception {
    assertThat(scene.inventory()).isEmpty();
    scene.close();
  }

  private ExtensionException refused(Map<String, Object> options) {
    return refused(scene.request(scene.identity(), options));
  }

  private ExtensionException refused(ProvisionRequest request) {
    ExtensionException failure =
        catchThrowableOfType(
            ExtensionException.class, () -> scene.extension.provision(request, scene.call()));
    assertThat(failure).as("it was accepted").isNotNull();
    assertThat(failure.code()).as("%s", failure).isEqualTo(ErrorCode.VALIDATION);
    assertThat(failure.outcome()).as("%s", failure).isEqualTo(Outcome.NOTHING_CREATED);
    return failure;
  }

  private static Map<String, Object> file(String text) {
    return new HashMap<>(Map.of("service", "app", "files", Map.of("compose.yaml", text)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          privileged: true                                   | compose.yaml:5: services.app.privileged: no service gets rights over the machine
          cap_add: [NET_ADMIN]                               | compose.yaml:5: services.app.cap_add: no service gets further capabilities
          devices: [/dev/kvm]                                | compose.yaml:5: services.app.devices: no service gets devices
          security_opt: [seccomp:unconfined]                 | compose.yaml:5: services.app.security_opt:
          sysctls: {net.ipv4.ip_forward: 1}                  | compose.yaml:5: services.app.sysctls: 'sysctls' is not supported here
          network_mode: host                                 | compose.yaml:5: services.app.network_mode:
          network_mode: "container:abc"                      | compose.yaml:5: services.app.network_mode:
          pid: host                                          | compose.yaml:5: services.app.pid:
          ipc: host                                          | compose.yaml:5: services.app.ipc:
          uts: host                                          | compose.yaml:5: services.app.uts:
          userns_mode: host                                  | compose.yaml:5: services.app.userns_mode:
          cgroup_parent: /x                                  | compose.yaml:5: services.app.cgroup_parent:
          runtime: runsc                                     | compose.yaml:5: services.app.runtime:
          gpus: all                                          | compose.yaml:5: services.app.gpus:
          container_name: mine                               | compose.yaml:5: services.app.container_name:
          use_api_socket: true                               | use_api_socket
          build: {ssh: [default]}                            | compose.yaml:5: services.app.build.ssh: 'ssh' is not supported here
          build: {context: ., secrets: [s]}                  | undefined build secret s
          build: {context: ., network: host}                 | compose.yaml:5: services.app.build.network: only none
          build: {context: ., network: default}              | compose.yaml:5: services.app.build.network: only none
          build: {context: ., privileged: true}              | compose.yaml:5: services.app.build.privileged: no service gets rights
          build: {context: ., entitlements: [x]}             | entitlements
          build: {context: ., additional_contexts: {a: ..}}  | compose.yaml:5: services.app.build.additional_contexts:
          build: {context: ., cache_from: [x]}               | compose.yaml:5: services.app.build.cache_from:
          build: {context: ., cache_to: [x]}                 | compose.yaml:5: services.app.build.cache_to:
          build: {context: ., extra_hosts: ["a:1.2.3.4"]}    | compose.yaml:5: services.app.build.extra_hosts:
          build: {context: ., platforms: [linux/arm64]}      | compose.yaml:5: services.app.build.platforms:
          build: {context: ., tags: [x]}                     | compose.yaml:5: services.app.build.tags:
          build: {context: ., isolation: x}                  | compose.yaml:5: services.app.build.isolation:
          build: {context: ., ulimits: {nofile: 9}}          | compose.yaml:5: services.app.build.ulimits:
          build: {context: ., shm_size: 1g}                  | compose.yaml:5: services.app.build.shm_size:
          build: ..                                          | compose.yaml:5: services.app.build: context: /
          build: /etc                                        | compose.yaml:5: services.app.build: context: /etc is outside of the project
          build: "https://x.invalid/a.git"                   | compose.yaml:5: services.app.build: context: https://x.invalid/a.git is outside
          build: {context: ., dockerfile: ../../x}           | compose.yaml:5: services.app.build.dockerfile: ../../x is outside
          build: .                                           | compose.yaml:5: services.app.build: dockerfile: the project has no file 'Dockerfile'
          build: {context: ., dockerfile_inline: "FROM scratch", target: x} | compose.yaml:5: services.app.build.target: services.app.build.dockerfile_inline has no stage 'x'
          build: {context: ., dockerfile_inline: "RUN x"}    | services.app.build.dockerfile_inline:1: RUN: it comes before the first FROM
          build: {context: ., args: [PATH]}                  | compose.yaml:5: services.app.build.args: PATH would be the machine's own
          logging: {driver: syslog}                          | compose.yaml:5: services.app.logging:
          post_start: [{command: ls}]                        | compose.yaml:5: services.app.post_start:
          volumes_from: ["container:abc"]                    | compose.yaml:5: services.app.volumes_from:
          volumes: ["/etc:/x"]                               | compose.yaml:5: services.app.volumes: /etc is outside of the project
          volumes: ["../..:/x"]                              | is outside of the project
          volumes: ["/var/run/docker.sock:/s"]               | docker.sock is outside of the project
          volumes: ["~:/x"]                                  | is outside of the project
          volumes: [{type: bind, source: ., target: /x, bind: {propagation: shared}}] | propagation
          volumes: ["vol:/a/../.sandboxer/boxd"]             | is the platform's
          volumes: ["v:/x"]                                  | v:/x is not an absolute path
          volumes: ["vol:/.sandboxer/run"]                   | /.sandboxer/run is the platform's
          ports: ["8080:80"]                                 | compose.yaml:5: services.app.ports: port 8080 would be the machine's own
          ulimits: {memlock: -1}                             | memlock
          scale: 2                                           | a service has one container
          labels: {dev.sandboxer.name: x}                    | this label is the platform's
          env_file: /etc/passwd                              | compose.yaml:5: services.app.env_file: '/etc/passwd' must be a plain path within the project
          env_file: ["../../x"]                              | is outside of the project
          env_file: [{path: "${HOME}/x"}]                    | must be a plain path within the project
          label_file: /etc/passwd                            | must be a plain path within the project
          extends: {file: ../x.yaml, service: a}             | is outside of the project
          extends: {file: "https://x.invalid/a.git", service: a} | must be a plain path within the project
          environment: {A: "${MISSING:?is not given}"}       | is not given
          image: docker.io/library/other:1                   | the key stands twice
          """)
  void keysOfAService(String line, String message) throws Exception {
    String file =
        APP + "    " + line + "\n" + (line.contains("vol:") ? "volumes: {vol: {}}\n" : "");
    assertThat(refused(file(file))).hasMessageContaining(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          networks: {default: {external: true, name: x}}       | compose.yaml:5: networks.default.external: what is outside of the project
          networks: {default: {driver: host}}                  | driver: only bridge
          networks: {default: {driver_opts: {a: b}}}           | driver_opts
          networks: {default: {name: other}}                   | the name must be this sandbox's own
          include: [other.yaml]                                | compose.yaml:5: include: other projects are not included
          secrets: {s: {file: /etc/shadow}}                    | /etc/shadow is outside of the project
          secrets: {s: {environment: HOME}}                    | environment
          x-a: {env_file: /etc/passwd}                         | must be a plain path
          services2: {}                                        | services2
          """)
  void keysOfTheFile(String line, String message) throws Exception {
    String used = line.startsWith("secrets") ? APP + "    secrets: [s]\n" : APP;
    assertThat(refused(file(used + line + "\n")))
        .hasMessageContaining(used.equals(APP) ? message : message.replace("yaml:5", "yaml:6"));
  }

  @Test
  void volumesOfOthers() throws Exception {
    String file = APP + "    volumes: ['vol:/v']\nvolumes: {vol: {external: true, name: x}}\n";
    assertThat(refused(file(file))).hasMessageContaining("compose.yaml:6: volumes.vol.external");
    file =
        APP
            + "    volumes: ['vol:/v']\nvolumes: {vol: {driver_opts: {type: none, device: /, o: bind}}}\n";
    assertThat(refused(file(file))).hasMessageContaining("volumes.vol.driver_opts");
  }

  @Test
  void aFolderWithinOneThatAServiceWrites() throws Exception {
    String file = APP + "    volumes: ['./a:/a', './a/b:/b:ro']\n";
    assertThat(refused(file(file))).hasMessageContaining("./a/b is mounted, and a service writes");
  }

  @Test
  void aServiceThatIsNotThere() throws Exception {
    Map<String, Object> options = file(APP);
    options.put("service", "other");
    assertThat(refused(options)).hasMessageContaining("must have a service 'other'");
    assertThat(refused(file(APP.replace("app", "sandboxer"))))
        .hasMessageContaining("called 'sandboxer'");
  }

  @Test
  void optionsThatNameNoService() throws Exception {
    Map<String, Object> options = new HashMap<>(file(APP));
    options.put("ready", List.of(Map.of("service", "db", "tcp", 1L)));
    assertThat(refused(options))
        .hasMessageContaining("options.ready: the project has no service 'db'");
  }

  @Test
  void portsThatNameNoServiceOrTwo() throws Exception {
    Map<String, Object> options = new HashMap<>(file(APP));
    options.put("ports", Map.of("8080", "web:80"));
    assertThat(refused(options))
        .hasMessageContaining("options.ports.8080: the project has no service 'web'");
    String web =
        "    ports: ['8080:80']\n  web:\n    image: sandboxer-test/busybox:latest\n    ports: ['8080:80']\n";
    options = file(APP + web);
    options.put("ports", "inside");
    assertThat(refused(options)).hasMessageContaining("ports: 8080 is localhost:80 already");
  }

  @Test
  void aReplacedServiceForWhichOthersWait() throws Exception {
    String web = "  web:\n    image: sandboxer-test/busybox:latest\n    depends_on: [app]\n";
    Map<String, Object> options = file(APP + web);
    options.put("attach", "replace");
    assertThat(refused(options))
        .hasMessageContaining(
            "compose.yaml:7: services.web.depends_on: the command of app does not run");
    options = file(APP);
    options.put("attach", "replace");
    options.put("ready", List.of(Map.of("service", "app", "tcp", 1L)));
    assertThat(refused(options))
        .hasMessageContaining("options.ready: the command of app does not run");
  }

  @Test
  void secretsThatTheProfileDoesNotHave() throws Exception {
    assertThat(
            refused(file(APP + "    secrets: [token]\nsecrets:\n  token:\n    external: true\n")))
        .hasMessageContaining(
            "compose.yaml:8: secrets.token.external: the profile has no secret 'token' with 'use: file'");
  }

  @Test
  void limitsThatLeaveNothing() throws Exception {
    assertThat(refused(file(APP + "    mem_limit: 256m\n")))
        .hasMessageContaining("resources.memory of the sandbox is 268435456");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          docker.io/sandboxer-test/b*        | sandboxer-test/alpine             | in full it is docker.io/sandboxer-test/alpine:latest, and SANDBOXER_IMAGES allows [docker.io/sandboxer-test/b*]
          docker.io/library/*                | sandboxer-test/busybox:latest     | SANDBOXER_IMAGES allows [docker.io/library/*]
          none                               | sandboxer-test/busybox:latest     | SANDBOXER_IMAGES allows none
          *                                  | sha256:aaaaaaaaaaaaaaaaaaaaaaaa:1 | is not an image name
          """)
  void imagesOfATenant(String pattern, String image, String message) throws Exception {
    String file = APP.replace("sandboxer-test/busybox:latest", image);
    SandboxIdentity identity = scene.identity();
    ProvisionRequest request =
        scene
            .request(identity, file(file))
            .withImages(pattern.equals("none") ? List.of() : List.of(new ImagePattern(pattern)));
    assertThat(refused(request))
        .hasMessageContaining("compose.yaml:3: services.app.image: ")
        .hasMessageContaining(message);
  }

  private static Map<String, Object> dockerfile(String text) {
    Map<String, String> files = new HashMap<>();
    files.put("compose.yaml", "services: {app: {build: .}}\n");
    files.put("Dockerfile", text);
    return Map.of("service", "app", "files", files);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          RUN --mount=type=bind,from=x true          | Dockerfile:2: RUN: --mount is not supported here
          RUN --network=host true                    | Dockerfile:2: RUN: --network is not supported here
          RUN --security=insecure true               | Dockerfile:2: RUN: --security is not supported here
          RUN cat <<END                              | Dockerfile:2: RUN: << is not supported here
          COPY <<END /x                              | Dockerfile:2: COPY: << is not supported here
          COPY --chmod=755 a b                       | Dockerfile:2: COPY: --chmod is not supported here
          COPY --link a b                            | Dockerfile:2: COPY: --link is not supported here
          COPY --from=$X a b                         | Dockerfile:2: COPY --from: '$X' is not an image name
          COPY --from="s 0" a b                      | Dockerfile:2: COPY: --from is not supported here
          COPY --chown=a~--from=sandboxer-test/x a b | Dockerfile:2: COPY: --chown is not supported here
          COPY ~--from=sandboxer-test/x a b          | Dockerfile:2: COPY: ~--from is not supported here
          ADD https://example.com/x /x               | Dockerfile:2: ADD: only plain names in the context
          ADD ht${X}tps /x                           | Dockerfile:2: ADD: only plain names in the context
          ADD git@example.com:a/b /x                 | Dockerfile:2: ADD: only plain names in the context
          ADD ["\\u0068ttp", "/x"]                   | Dockerfile:2: ADD: only plain names in the context
          ADD --checksum=sha256:1 a b                | Dockerfile:2: ADD: --checksum is not supported here
          ONBUILD COPY --from=x a b                  | Dockerfile:2: ONBUILD: it is not supported here
          FROM $X                                    | Dockerfile:2: FROM: '$X' cannot be resolved
          FROM --platform=linux/s390x scratch        | Dockerfile:2: FROM: '--platform=linux/s390x scratch' is not
          FROM sha256:aaaaaaaaaaaaaaaaaaaaaaaa:1     | Dockerfile:2: FROM: 'sha256:aaaaaaaaaaaaaaaaaaaaaaaa:1' is not an image name
          RUN true \\\\                               | Dockerfile:2: \\\\: builders differ
          RUN true \\ \\                              | Dockerfile:2: RUN: it ends with
          NOTHING                                    | Dockerfile:2: NOTHING: it is not supported here
          ~RUN true                                  | Dockerfile:2: line: this is no instruction
          """)
  void instructions(String instruction, String message) throws Exception {
    // No space to Java, and one to the builder.
    String text = "FROM scratch\n" + instruction.replace('~', '\u00a0') + "\n";
    assertThat(refused(dockerfile(text))).hasMessageContaining(message.replace('~', '\u00a0'));
  }

  @Test
  void anotherEscape() throws Exception {
    assertThat(refused(dockerfile("# escape=`\nFROM scratch\n")))
        .hasMessageContaining("Dockerfile:1: escape: lines go on after \\ only");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          FROM other/x                                   | Dockerfile:1: FROM: image other/x is not allowed for this tenant: in full it is docker.io/other/x:latest
          FROM scratch;COPY --from=other/x a b           | Dockerfile:2: COPY --from: image other/x is not allowed
          ARG A=other;ARG B=$A/x;FROM ${B:-scratch}      | Dockerfile:3: FROM: image other/x is not allowed
          FROM scratch;COPY --from=1 a b                 | Dockerfile:2: COPY --from: image 1 is not allowed
          FROM scratch AS a;FROM a AS b;COPY --from=c a b;FROM a AS c | Dockerfile:3: COPY --from: image c is not allowed
          """)
  void imagesThatOthersAreBuiltFrom(String text, String message) throws Exception {
    ProvisionRequest request =
        scene
            .request(scene.identity(), dockerfile(text.replace(';', '\n')))
            .withImages(List.of(new ImagePattern("docker.io/sandboxer-test/*")));
    assertThat(refused(request)).hasMessageContaining(message);
  }

  @Test
  void variablesOfComposeItself() throws Exception {
    Map<String, Object> options =
        new HashMap<>(
            Map.of(
                "service",
                "app",
                "files",
                Map.of("compose.yaml", APP, ".env", "A=1\nCOMPOSE_FILE=/etc/x\n")));
    assertThat(refused(options)).hasMessageContaining("a project cannot set COMPOSE_FILE");
    options = file(APP);
    options.put("env", Map.of("DOCKER_HOST", "tcp://x"));
    assertThat(refused(options)).hasMessageContaining("a project cannot set DOCKER_HOST");
  }

  private ExtensionException refused(Archive archive) {
    return refused(scene.archived(scene.identity(), archive));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/etc/x", "../x", "a/../../x", "a/..", "a//b", "a/./b"})
  void anArchiveWithNamesOutside(String name) throws Exception {
    assertThat(refused(new TestTar().file("compose.yaml", APP).file(name, "x").plain()))
        .hasMessage("options.project: '%s' is not a path within the project", name);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/etc", "../../x", "a/../../x", "a/../x"})
  void anArchiveWithLinksOutOfIt(String target) throws Exception {
    assertThat(refused(new TestTar().file("compose.yaml", APP).link("b/data", target).plain()))
        .hasMessage("options.project: b/data is a link to %s, outside of the project", target);
  }

  @ParameterizedTest
  @ValueSource(
      bytes = {
        TarConstants.LF_LINK,
        TarConstants.LF_CHR,
        TarConstants.LF_BLK,
        TarConstants.LF_FIFO,
        TarConstants.LF_GNUTYPE_SPARSE
      })
  void anArchiveWithWhatIsNoFile(byte type) throws Exception {
    assertThat(refused(new TestTar().file("compose.yaml", APP).of("data", type).plain()))
        .hasMessageContaining("data is neither a plain file, a folder nor a symbolic link");
  }

  @Test
  void anArchiveThatContradictsItself() throws Exception {
    assertThat(refused(new TestTar().file("compose.yaml", APP).file("./compose.yaml", "").plain()))
        .hasMessage("options.project has compose.yaml twice");
    assertThat(
            refused(
                new TestTar()
                    .file("compose.yaml", APP)
                    .link("a/b", "../c")
                    .link("a/b/d", "../../e")
                    .plain()))
        .hasMessage("the project has a/b/d and a/b, which is no folder");
  }

  @Test
  void anArchiveThatIsTooMuch() throws Exception {
    TestTar many = new TestTar().file("compose.yaml", APP);
    for (int i = 0; i < 10_000; i++) {
      many.file("f" + i, "");
    }
    assertThat(refused(many.packed())).hasMessageContaining("at most 64 MiB and 10000 files");
    TestTar large = new TestTar().file("compose.yaml", APP);
    large.zeros("a", TarConstants.LF_NORMAL, 33 << 20);
    large.zeros("b", TarConstants.LF_NORMAL, 33 << 20);
    assertThat(refused(large.packed())).hasMessageContaining("at most 64 MiB and 10000 files");
    TestTar bomb = new TestTar().file("compose.yaml", APP);
    bomb.zeros("a", TarConstants.LF_GNUTYPE_LONGNAME, 200 << 20);
    assertThat(refused(bomb.packed())).hasMessageContaining("it unpacks to more than 103 MiB");
  }

  @Test
  void whatIsNoArchive() throws Exception {
    byte[] whole = new TestTar().file("compose.yaml", APP).packed().open().readAllBytes();
    for (int length : new int[] {1, 2, 10, whole.length / 2, whole.length - 1}) {
      assertThat(refused(() -> new ByteArrayInputStream(whole, 0, length)))
          .hasMessageContaining("options.project is no tar or tar.gz");
    }
    for (String text : List.of("", "PK\3\4", APP.repeat(20))) {
      assertThat(refused(() -> new ByteArrayInputStream(text.getBytes(UTF_8))))
          .hasMessageContaining("options.project is no tar or tar.gz");
    }
    assertThat(refused(Map.of("service", "app", "project", "/srv/x")))
        .hasMessage("options.project: the sandbox has no archive; create it again");
  }

  /** As the platform's may, when its database does not answer. */
  private static final class Broken extends InputStream {
    @Override
    public int read() throws IOException {
      throw new IOException("no connection");
    }

    @Override
    public int read(byte[] into, int from, int most) throws IOException {
      return read();
    }
  }

  @Test
  void anArchiveThatCannotBeHadNow() throws Exception {
    ExtensionException failure =
        catchThrowableOfType(
            ExtensionException.class,
            () ->
                scene.extension.provision(
                    scene.archived(scene.identity(), Broken::new), scene.call()));
    assertThat(failure).hasMessageContaining("no connection");
    assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE);
    assertThat(failure.outcome()).isEqualTo(Outcome.NOTHING_CREATED);
  }

  @Test
  void whatIsNoProject() throws Exception {
    assertThat(refused(file("services: ["))).hasMessageContaining("compose.yaml:");
    assertThat(refused(file("services: {app: {imag: x}}")))
        .hasMessageContaining("Compose does not take the project");
    String bomb = "a: &a [x, x]\nb: &b [*a, *a, *a, *a, *a, *a]\nc: [*b, *b, *b, *b, *b, *b]\n";
    assertThat(refused(file(bomb))).hasMessageContaining("aliases");
  }
}
