package dev.sandboxer.platform.extension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandboxer.platform.extension.LoadedExtension.State;
import dev.sandboxer.platform.installation.StartupException;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.Inspection;
import dev.sandboxer.spi.IsolationLevel;
import dev.sandboxer.spi.Probing;
import dev.sandboxer.spi.Progress;
import dev.sandboxer.spi.SandboxExtension;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.Suspendable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExtensionRegistryTest {

  @TempDir Path folder;

  @Test
  void loadsAJarThatSeesTheJdkButNothingOfThePlatform() throws Exception {
    new SampleJar().into(home("sample"));
    ExtensionRegistry registry = registry();
    assertThat(registry.list())
        .singleElement()
        .satisfies(
            loaded -> {
              assertThat(loaded.state()).isEqualTo(State.LOADED);
              assertThat(loaded.id()).isEqualTo("ext.sample");
              assertThat(loaded.version()).isEqualTo("1.2.3");
            });
    Map<String, Probing.Check> checks = probe(registry);
    assertThat(checks.get("sql").ok()).isTrue();
    assertThat(checks.get("jdbi").ok()).isFalse();
    assertThat(checks.get("installation").detail()).isEqualTo(Registries.INSTALLATION);
    assertThat(Path.of(checks.get("run").detail())).isEqualTo(folder.resolve("home/run/sample"));
    Path state = Path.of(checks.get("state").detail());
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(state)))
        .isEqualTo("rwx------");
  }

  @Test
  void callsRunInTheExtensionsContextAndKeepExactlyItsPowers() throws Exception {
    new SampleJar().into(home("sample"));
    SandboxExtension extension = registry().find("ext.sample").orElseThrow();
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    assertThat(extension.inspect(SandboxHandle.of(1, "x"), new NoCall()))
        .isEqualTo(new Inspection.Unknown("sample"));
    assertThat(Thread.currentThread().getContextClassLoader()).isSameAs(before);
    assertThat(extension).isInstanceOf(Probing.class).isNotInstanceOf(Suspendable.class);
  }

  @Test
  void anotherApiVersionIsRefused() throws IOException {
    new SampleJar().apiVersion(99).into(home("sample"));
    assertFailed("API version 99");
  }

  @Test
  void aJarWithoutProviderIsRefused() throws IOException {
    new SampleJar().withoutService().into(home("sample"));
    assertFailed("exactly one SandboxExtensionProvider");
  }

  @Test
  void aFolderWithoutJarIsRefused() throws IOException {
    Files.createDirectories(home("sample"));
    Files.setPosixFilePermissions(home("sample"), PosixFilePermissions.fromString("rwx------"));
    assertFailed("no jar");
  }

  @Test
  void aThrowingConstructorIsReported() throws IOException {
    new SampleJar()
        .constructor("if (true) throw new RuntimeException(\"boom\");")
        .into(home("sample"));
    assertFailed("boom");
  }

  @Test
  void aWrongSettingIsReportedAsTheExtensionSaysIt() throws IOException {
    new SampleJar()
        .create("if (true) throw new ExtensionException(ErrorCode.VALIDATION, \"answer is odd\");")
        .into(home("sample"));
    assertFailed("answer is odd");
  }

  @Test
  void aMissingClassIsReported() throws IOException {
    new SampleJar().withoutItsSecondClass().into(home("sample"));
    assertFailed("sample/Sample");
  }

  @Test
  void aFileThatIsNoJarIsReported() throws IOException {
    new SampleJar().into(home("sample"));
    Files.writeString(home("sample").resolve("sample.jar"), "not a jar");
    assertFailed("sample.jar is no jar");
  }

  @Test
  void aWrongIdIsReported() throws IOException {
    new SampleJar().id("sample").into(home("sample"));
    assertFailed("must be ext.<name>");
  }

  @Test
  void oneThatFailsDisturbsNoOther() throws IOException {
    new SampleJar().apiVersion(2).id("ext.broken").into(home("broken"));
    new SampleJar().into(home("sample"));
    assertThat(registry().list())
        .extracting(LoadedExtension::id, LoadedExtension::state)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple("ext.broken", State.FAILED),
            org.assertj.core.groups.Tuple.tuple("ext.sample", State.LOADED));
  }

  @Test
  void theFirstOfTwoKeepsTheId() throws IOException {
    new SampleJar().into(dist("sample"));
    new SampleJar().into(home("again"));
    ExtensionRegistry registry = registry();
    assertThat(registry.list())
        .extracting(LoadedExtension::state)
        .containsExactly(State.LOADED, State.FAILED);
    assertThat(registry.list().getLast().reason())
        .contains("there twice")
        .contains(dist("sample").toString());
    assertThat(registry.find("ext.sample")).isPresent();
  }

  @Test
  void whatOthersMayWriteIsRefused() throws IOException {
    new SampleJar().into(home("sample"));
    Path jar = home("sample").resolve("sample.jar");
    Files.setPosixFilePermissions(jar, PosixFilePermissions.fromString("rw-rw-r--"));
    assertFailed("sample.jar can be written by others");
    Files.setPosixFilePermissions(jar, PosixFilePermissions.fromString("rw-r--r--"));
    Files.setPosixFilePermissions(home("sample"), PosixFilePermissions.fromString("rwxrwxrwx"));
    assertFailed("sample can be written by others");
  }

  @Test
  void onlyListedJarsLoadWhereThereIsAList() throws IOException, NoSuchAlgorithmException {
    new SampleJar().into(home("sample"));
    Path list = folder.resolve("sums");
    Files.writeString(list, "00  other.jar\n");
    Map<String, String> setting = Map.of("SANDBOXER_EXTENSION_SUMS", list.toString());
    assertThat(Registries.over(folder, setting).list().getFirst().reason())
        .contains("not on the list");
    byte[] jar = Files.readAllBytes(home("sample").resolve("sample.jar"));
    String sum = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(jar));
    Files.writeString(list, sum + "  sample.jar\n");
    assertThat(Registries.over(folder, setting).list().getFirst().state()).isEqualTo(State.LOADED);
  }

  @Test
  void theManifestNarrowsAndConfigures() throws Exception {
    new SampleJar().into(home("sample"));
    manifest("config: {answer: 42}\nisolation_levels: [process]\nlimits: []\n");
    ExtensionRegistry registry = registry();
    LoadedExtension loaded = registry.list().getFirst();
    assertThat(loaded.descriptor().isolationLevels()).containsExactly(IsolationLevel.PROCESS);
    assertThat(loaded.descriptor().limits()).isEmpty();
    assertThat(loaded.descriptor().architectures()).containsExactlyInAnyOrder("amd64", "arm64");
    assertThat(probe(registry).get("config").detail()).isEqualTo("42");
  }

  @Test
  void settingsAloneConfigureTheShippedOneOfTheirName() throws Exception {
    new SampleJar().into(dist("sample"));
    settings("sample", "config: {answer: 43}\nlimits: []\n");
    ExtensionRegistry registry = registry();
    assertThat(registry.list())
        .singleElement()
        .satisfies(
            loaded -> {
              assertThat(loaded.state()).isEqualTo(State.LOADED);
              assertThat(loaded.source()).isEqualTo(dist("sample").toString());
              assertThat(loaded.descriptor().limits()).isEmpty();
            });
    assertThat(probe(registry).get("config").detail()).isEqualTo("43");
  }

  @Test
  void settingsForNoShippedExtensionAreTold() throws IOException {
    new SampleJar().into(dist("sample"));
    settings("simple", "config: {answer: 43}\n");
    ExtensionRegistry registry = registry();
    assertThat(registry.list())
        .extracting(LoadedExtension::id, LoadedExtension::state)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple("ext.sample", State.LOADED),
            org.assertj.core.groups.Tuple.tuple("ext.simple", State.FAILED));
    assertThat(registry.list().getLast().reason())
        .contains("no shipped extension of that name", "there are [sample]");
  }

  @Test
  void settingsThatAreWrongOrOthersMayWriteFailTheShippedOneAndAreNamed() throws IOException {
    new SampleJar().into(dist("sample"));
    settings("sample", "limit: []\n");
    assertFailed("extension.yaml:1: limit: ");
    assertFailed("its settings are those in " + home("sample"));
    settings("sample", "limits: []\n");
    Path file = home("sample").resolve("extension.yaml");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
    assertFailed("extension.yaml can be written by others");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "isolation_levels: [vm]      | 1 | isolation_levels[0] | declares",
        "network_modes: [public]     | 1 | network_modes[0]    | declares",
        "limits: [memory, uid]       | 1 | limits[1]           | declares",
        "regions: [mars]             | 1 | regions[0]          | declares",
        "architectures: [riscv64]    | 1 | architectures[0]    | declares",
        "isolation_levels: []        | 1 |                     | at least one isolation level",
        "isolation_level: [process]  | 1 | isolation_level     | did you mean 'isolation_levels'?",
        "config: {a: [1]}            | 1 | config.a            | must be a text",
        "'config: {a: b'             | 1 |                     | expected",
      })
  void aManifestThatLiesIsRefused(String text, int line, String field, String reason)
      throws IOException {
    new SampleJar().into(home("sample"));
    manifest(text);
    assertFailed(reason);
    if (field != null) {
      assertFailed("extension.yaml:" + line + ": " + field + ": ");
    }
  }

  @Test
  void anExtensionReadsItsOwnSettingsAlone() throws Exception {
    new SampleJar().declared(".settings(Set.of(\"api_key\"))").into(home("sample"));
    assertThat(setting(Map.of())).isEmpty();
    String name = "SANDBOXER_EXT_SAMPLE_API_KEY";
    properties(name + " = of the file\n");
    assertThat(setting(Map.of())).isEqualTo("of the file");
    assertThat(setting(Map.of(name, "of the environment"))).isEqualTo("of the environment");
  }

  @Test
  void aSettingThatIsNotDeclaredIsRefused() throws Exception {
    new SampleJar().into(home("sample"));
    assertThat(setting(Map.of("SANDBOXER_EXT_SAMPLE_API_KEY", "x")))
        .isEqualTo("ext.sample does not declare the setting 'api_key', only []");
  }

  @Test
  void anUnknownSettingOfALoadedExtensionEndsTheStart() throws IOException {
    new SampleJar().declared(".settings(Set.of(\"api_key\"))").into(home("sample"));
    properties("SANDBOXER_EXT_SAMPLE_API_KEI=x\n");
    assertThatThrownBy(this::registry)
        .isInstanceOf(StartupException.class)
        .hasMessage(
            "sandboxer.properties has the unknown key SANDBOXER_EXT_SAMPLE_API_KEI: did you mean"
                + " SANDBOXER_EXT_SAMPLE_API_KEY?");
    properties("SANDBOXER_EXT_OTHER_KEY=x\n");
    assertThat(registry().list()).hasSize(1);
  }

  private String setting(Map<String, String> environment) throws Exception {
    return probe(Registries.over(folder, environment)).get("setting").detail();
  }

  private void properties(String text) throws IOException {
    Files.createDirectories(folder.resolve("home"));
    Files.writeString(folder.resolve("home/sandboxer.properties"), text);
  }

  private void settings(String name, String text) throws IOException {
    Path own = Files.createDirectories(home(name));
    Files.setPosixFilePermissions(own, PosixFilePermissions.fromString("rwx------"));
    Files.writeString(own.resolve("extension.yaml"), text);
  }

  private void manifest(String text) throws IOException {
    Files.writeString(home("sample").resolve("extension.yaml"), text);
  }

  private void assertFailed(String reason) {
    ExtensionRegistry registry = registry();
    LoadedExtension failed = registry.list().getFirst();
    assertThat(failed.state()).isEqualTo(State.FAILED);
    assertThat(failed.reason()).contains(reason);
    assertThat(registry.find("ext.sample")).isEmpty();
  }

  private Map<String, Probing.Check> probe(ExtensionRegistry registry) {
    Probing probing = (Probing) registry.find("ext.sample").orElseThrow();
    return probing.probe(new HostRef("local", HostRef.LOCAL), new NoCall()).checks().stream()
        .collect(Collectors.toMap(Probing.Check::name, check -> check));
  }

  private Path home(String name) {
    return folder.resolve("home/extensions").resolve(name);
  }

  private Path dist(String name) {
    return folder.resolve("dist/extensions").resolve(name);
  }

  private ExtensionRegistry registry() {
    return Registries.over(folder, Map.of());
  }

  /** A call without limits. */
  private static final class NoCall implements Call {
    @Override
    public Duration remaining() {
      return Duration.ofHours(1);
    }

    @Override
    public boolean cancelled() {
      return false;
    }

    @Override
    public void onCancel(Runnable action) {}

    @Override
    public void progress(Progress progress) {}
  }
}
