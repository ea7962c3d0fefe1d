package dev.sandboxer.platform.profile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.platform.installation.Home;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.platform.mount.CallerMounts;
import dev.sandboxer.platform.profile.ProfileEntry.ProfileError;
import dev.sandboxer.platform.routing.Routing;
import dev.sandboxer.platform.sandbox.ExtensionId;
import dev.sandboxer.platform.secret.Reference;
import dev.sandboxer.platform.secret.SecretRef;
import dev.sandboxer.platform.testing.TestDatabase;
import dev.sandboxer.platform.token.Capability;
import dev.sandboxer.spi.IsolationLevel;
import dev.sandboxer.spi.Limit;
import dev.sandboxer.spi.Mount;
import dev.sandboxer.spi.Network;
import dev.sandboxer.spi.Resources;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@QuarkusTest
@QuarkusTestResource(TestDatabase.class)
class ProfileStoreTest {

  private static final long MI = 1L << 20;

  @Inject ProfileVersions versions;
  @Inject ProfileOptions options;
  @Inject Jdbi jdbi;
  @TempDir Path folder;

  private final String name = "p" + UUID.randomUUID().toString().substring(0, 8);
  private final String id = "profile." + name;

  @Test
  void fillsInWhatAProfileIsSilentAbout() throws IOException {
    home("id: %s\nversion: 1\nextension: ext.nsjail\n");
    Profile profile = store().find(name).orElseThrow();
    assertThat(profile.ttl()).isEqualTo(Duration.ofMinutes(30));
    assertThat(profile.hardTtl()).isEqualTo(Duration.ofHours(8));
    assertThat(profile.isolation()).isEqualTo(IsolationLevel.PROCESS);
    assertThat(profile.env()).isEmpty();
    assertThat(profile.spec().resources())
        .isEqualTo(new Resources(BigDecimal.ONE, 512 * MI, 128, 256 * MI, 64 * MI, 1024));
    assertThat(profile.spec().network()).isEqualTo(Network.NONE);
  }

  @Test
  void readsEveryKey() throws IOException {
    home(
        """
        id: %s
        version: 7
        description: All of it
        extension: ext.docker
        image: registry.example:5000/team/python:3.12-slim
        isolation: {level: vm, runtime: kata}
        resources: {cpus: 1.5, memory: 1Gi, pids: 64, workspace: 2Gi, tmp: 1024Ki, open_files: 99, setup: 512Mi}
        network: {mode: none, transparent: false}
        mounts:
          - {host_path: /srv/data, mount_path: /data}
          - {host_path: /srv/out, mount_path: /workspace/out, mode: rw, unlimited: true}
          - {tmpfs: 4Mi, mount_path: /scratch}
          - {host_path: /srv/tool, mount_path: /tool, content_digest: "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}
        caller_mounts: {roots: [/srv/teams, /srv/sets], modes: [ro, tmpfs], max: 3}
        limits: {processes: 9, json_bytes: 2Mi}
        env: {A: "1", B: 2, C: yes}
        secret_refs:
          - {name: TOKEN, ref: "env:TOKEN", use: env}
          - {name: KEY, ref: "vault:kv/a#b", use: file}
        setup:
          - run: pip install requests
          - {run: "make\\nmake install", timeout: 90s}
        ttl: 90m
        idle: 45s
        hard_ttl: 2d
        on_idle: suspend
        labels: {team: data}
        capabilities: [exec, fs_read]
        best_effort: [memory, pids]
        """);
    Profile profile = store().find(id + "@7").orElseThrow();
    assertThat(profile)
        .isEqualTo(
            new Profile(
                id,
                7,
                "All of it",
                Routing.of(new ExtensionId("ext.docker")).idling(true),
                false,
                "registry.example:5000/team/python:3.12-slim",
                IsolationLevel.VM,
                "kata",
                new Resources(new BigDecimal("1.5"), 1024 * MI, 64, 2048 * MI, MI, 99),
                Map.of("processes", 9L, "json_bytes", 2 * MI),
                Network.NONE,
                List.of(
                    new Mount.HostFolder("/srv/data", "/data", false),
                    new Mount.HostFolder("/srv/out", "/workspace/out", true),
                    new Mount.Tmpfs(4 * MI, "/scratch"),
                    new Mount.HostFolder(
                        "/srv/tool", "/tool", false, Optional.of("sha256:" + "a".repeat(64)))),
                new CallerMounts(
                    List.of("/srv/teams", "/srv/sets"),
                    java.util.Set.of(CallerMounts.Mode.RO, CallerMounts.Mode.TMPFS),
                    3),
                Map.of(),
                Map.of("A", "1", "B", "2", "C", "yes"),
                List.of(
                    new SecretRef("TOKEN", Reference.parse("env:TOKEN"), new SecretRef.Use.Env()),
                    new SecretRef(
                        "KEY", Reference.parse("vault:kv/a#b"), new SecretRef.Use.InFile())),
                new Setup(
                    List.of(
                        new Setup.Step("pip install requests", Duration.ofMinutes(10)),
                        new Setup.Step("make\nmake install", Duration.ofSeconds(90))),
                    512 * MI,
                    java.util.Set.of("A", "B", "C")),
                Duration.ofMinutes(90),
                Duration.ofSeconds(45),
                Duration.ofDays(2),
                Map.of("team", "data"),
                java.util.Set.of(Capability.EXEC, Capability.FS_READ),
                java.util.Set.of(Limit.MEMORY, Limit.PIDS)));
  }

  @Test
  void anImageAloneAsksForAContainer() throws IOException {
    home("id: %s\nversion: 1\nextension: ext.docker\nimage: debian@sha256:" + "a".repeat(64));
    assertThat(store().find(name).orElseThrow().isolation()).isEqualTo(IsolationLevel.CONTAINER);
  }

  @Test
  void findsByEachFormOfReference() throws IOException {
    home("id: %s\nversion: 1\nextension: ext.nsjail\n");
    ProfileStore store = store();
    home("id: %s\nversion: 2\nextension: ext.docker\n");
    store.importFiles();
    assertThat(store.find(name).orElseThrow().version()).isEqualTo(2);
    assertThat(store.find(id).orElseThrow().version()).isEqualTo(2);
    assertThat(store.find(id + "@1").orElseThrow().candidates())
        .containsExactly(new ExtensionId("ext.nsjail"));
    assertThat(store.find(name + "@2").orElseThrow().candidates())
        .containsExactly(new ExtensionId("ext.docker"));
    for (String none :
        new String[] {name + "@3", name + "@0", name + "@x", "no" + name, "", "@1", "../x"}) {
      assertThat(store.find(none)).as(none).isEmpty();
    }
    assertThat(store.names()).contains(id);
  }

  @Test
  void aVersionNeverChanges() throws IOException {
    home("id: %s\nversion: 1\nextension: ext.nsjail\n");
    store();
    home("id: %s\nversion: 1\nextension: ext.docker\n");
    ProfileEntry entry = entry(store());
    assertThat(entry.error()).isNotNull();
    assertThat(entry.error().field()).isEqualTo("version");
    assertThat(entry.error().message()).contains("raise the version");
    assertThat(entry.profile().candidates()).containsExactly(new ExtensionId("ext.nsjail"));
    assertThat(store().find(name).orElseThrow().candidates())
        .containsExactly(new ExtensionId("ext.nsjail"));
    assertThat(stored()).isEqualTo(1);
  }

  @Test
  void aWrongFileKeepsTheLastGoodVersion() throws IOException {
    home("id: %s\nversion: 1\nextension: ext.nsjail\n");
    ProfileStore store = store();
    home("id: %s\nversion: 2\nextension: ext.nsjail\nttl: soon\n");
    store.importFiles();
    ProfileEntry entry = entry(store);
    assertThat(entry.profile().version()).isEqualTo(1);
    assertThat(entry.error())
        .isEqualTo(
            new ProfileError(
                name + ".yaml",
                4,
                "ttl",
                "'soon' must be a duration with a unit (s, m, h, d), such as 30m"));
    assertThat(store.find(name)).isPresent();
  }

  @Test
  void aWrongNewFileIsListedAndCanNotBeUsed() throws IOException {
    home("id: %s\nversion: one\n");
    ProfileStore store = store();
    assertThat(entry(store).profile()).isNull();
    assertThat(entry(store).error().line()).isEqualTo(2);
    assertThat(store.find(name)).isEmpty();
    assertThat(store.names()).doesNotContain(id);
  }

  @Test
  void theHomeWinsAndTheOtherIsShown() throws IOException {
    write("dist/profiles", "id: %s\nversion: 1\nextension: ext.docker\n");
    home("id: %s\nversion: 1\nextension: ext.nsjail\n");
    ProfileEntry entry = entry(store());
    assertThat(entry.profile().candidates()).containsExactly(new ExtensionId("ext.nsjail"));
    assertThat(entry.shadowed())
        .containsExactly(folder.resolve("dist/profiles").resolve(name + ".yaml").toString());
    assertThat(entry.error()).isNull();
  }

  @Test
  void aProfileOutlivesItsFile() throws IOException {
    home("id: %s\nversion: 1\nextension: ext.nsjail\n");
    store();
    Files.delete(folder.resolve("home/profiles").resolve(name + ".yaml"));
    assertThat(entry(store()).source()).isEqualTo("database");
    assertThat(store().find(name)).isPresent();
  }

  private int stored() {
    return jdbi.withHandle(
        handle ->
            handle
                .select("select count(*) from profile_version where id = ?", id)
                .mapTo(Integer.class)
                .one());
  }

  private ProfileEntry entry(ProfileStore store) {
    return store.list().stream().filter(e -> e.id().equals(id)).findFirst().orElseThrow();
  }

  private void home(String text) throws IOException {
    write("home/profiles", text);
  }

  private void write(String where, String text) throws IOException {
    Path target = Files.createDirectories(folder.resolve(where));
    Files.writeString(target.resolve(name + ".yaml"), text.replace("%s", id));
  }

  private ProfileStore store() {
    Home home = Home.open(folder.resolve("home"));
    Map<String, String> environment = Map.of("SANDBOXER_DIST", folder.resolve("dist").toString());
    return new ProfileStore(versions, options, home, Settings.load(home, environment::get));
  }
}
