package dev.sandboxer.cli.extension;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.cli.support.CommandLineRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an author is told before a platform loads the jar. */
class CheckVerbTest {
  private static final int JAVA_25 = 69;
  private static final int PREVIEW = 0xFFFF;
  private static final int LATER = 99;
  private static final String KIND = "return \"journal\";";
  private static final String SETTINGS =
      "public Set<String> settings() { return Set.of(\"sync\", \"path\"); }";

  @TempDir private Path folder;

  @Test
  void aSoundJarIsTold() throws IOException {
    CommandLineRun run = check(0, ExtensionJar.sound(folder).into(folder.resolve("s")));
    assertThat(run.out())
        .isEqualTo(
            """
            ok    jars: sample.jar
            ok    shared classes: none is bundled
            ok    class files: for Java 25 or earlier
            ok    native code: none
            ok    provider: sample.Provider
            ok    descriptor: ext.sample 1.2.3, API version 1
            ok    extension.yaml: not there, nothing is narrowed
            ok    create: made and closed
            It can be loaded.
            """);
  }

  @Test
  void oneThatCannotBeMadeIsTold() throws IOException {
    bad(
        ExtensionJar.creating(folder, "throw new NoClassDefFoundError(\"io/missing/Client\");"),
        "create: java.lang.NoClassDefFoundError: io/missing/Client");
    bad(
        ExtensionJar.creating(
            folder,
            "throw new ExtensionException(ErrorCode.VALIDATION,"
                + " \"SANDBOXER_EXT_SAMPLE_URL is missing\");"),
        "create: SANDBOXER_EXT_SAMPLE_URL is missing");
    bad(
        ExtensionJar.creating(folder, "context.setting(\"colour\"); return null;"),
        "create: java.lang.IllegalArgumentException: ext.sample does not declare the setting"
            + " 'colour'");
  }

  @Test
  void aSoundSinkIsToldWithItsKindAndItsSettings() throws IOException {
    ExtensionJar jar = ExtensionJar.sink(folder, KIND, SETTINGS);
    assertThat(check(0, jar.into(folder.resolve("s"))).out())
        .isEqualTo(
            """
            ok    jars: sample.jar
            ok    shared classes: none is bundled
            ok    class files: for Java 25 or earlier
            ok    native code: none
            ok    provider: sample.Sink
            ok    kind of sink: journal
            ok    settings: path, sync
            It can be loaded.
            """);
    assertThat(check(0, ExtensionJar.sink(folder, KIND, "").into(folder.resolve("s"))).out())
        .contains("ok    settings: it names none\n");
  }

  @Test
  void whatKeepsASinkFromBeingLoadedIsTold() throws IOException {
    bad(
        ExtensionJar.sink(folder, "return \"My sink\";", ""),
        "kind of sink: the kind 'My sink' must be a name of up to 40 lower case letters");
    bad(ExtensionJar.sink(folder, "return null;", ""), "kind of sink: the kind 'null' must be");
    bad(
        ExtensionJar.sink(folder, "throw new IllegalStateException(\"boom\");", ""),
        "kind of sink: java.lang.IllegalStateException: boom");
    bad(
        ExtensionJar.sink(folder, KIND, "").with(ExtensionJar.SINK_SERVICE, "sample.Missing"),
        "Provider sample.Missing not found");
    bad(
        ExtensionJar.sink(folder, KIND, "").with(ExtensionJar.SINK_SERVICE, "# nobody"),
        "provider: its jars must name exactly one EventSinkProvider in META-INF/services and name"
            + " 0");
    bad(
        ExtensionJar.sink(folder, KIND, "").without(ExtensionJar.SINK_SERVICE),
        "provider: its jars must name exactly one SandboxExtensionProvider in META-INF/services"
            + " and name 0; a sink's name one EventSinkProvider there, a secret store's one SecretProvider");
    bad(
        ExtensionJar.sink(folder, KIND, "")
            .classFile("dev/sandboxer/spi/sink/EventSink.class", 0, JAVA_25),
        "shared classes:");
  }

  @Test
  void aJarMayBeBoth() throws IOException {
    ExtensionJar both = ExtensionJar.sound(folder).and(ExtensionJar.sink(folder, KIND, SETTINGS));
    assertThat(check(0, both.into(folder.resolve("s"))).out())
        .contains("ok    descriptor: ext.sample 1.2.3", "ok    kind of sink: journal");
    ExtensionJar half =
        ExtensionJar.compiled(folder, "", "99").and(ExtensionJar.sink(folder, KIND, SETTINGS));
    bad(half, "descriptor: it was built for API version 99");
  }

  @Test
  void whatStandsInTheWayIsToldInALine() throws IOException {
    bad(
        ExtensionJar.sound(folder)
            .without("META-INF/services/dev.sandboxer.spi.SandboxExtensionProvider"),
        "provider: its jars must name exactly one SandboxExtensionProvider in META-INF/services and"
            + " name 0");
    bad(
        ExtensionJar.sound(folder).service("sample.Missing"),
        "provider: java.util.ServiceConfigurationError: dev.sandboxer.spi.SandboxExtensionProvider:"
            + " Provider sample.Missing not found");
    bad(ExtensionJar.sound(folder).without("sample/Provider.class"), "sample.Provider not found");
    bad(
        ExtensionJar.sound(folder).without("sample/Names.class"),
        "descriptor: java.lang.NoClassDefFoundError: sample/Names");
    bad(
        ExtensionJar.compiled(
            folder, "public Provider() { throw new RuntimeException(\"boom\"); }", "1"),
        "boom");
    bad(
        ExtensionJar.compiled(folder, "", "99"),
        "descriptor: it was built for API version 99, this platform has 1");
  }

  @Test
  void whatCanNotWorkLaterIsToldAsWell() throws IOException {
    bad(
        ExtensionJar.sound(folder).classFile("dev/sandboxer/spi/Call.class", 0, JAVA_25),
        "shared classes: the platform lends these, so copies are never used:"
            + " sample.jar!dev/sandboxer/spi/Call.class; give core-api and JSpecify the scope"
            + " provided");
    bad(
        ExtensionJar.sound(folder).classFile("org/jspecify/annotations/A.class", 0, JAVA_25),
        "shared classes:");
    bad(
        ExtensionJar.sound(folder).classFile("sample/New.class", 0, LATER),
        "class files: Java 25 cannot read sample.jar!sample/New.class (Java 55)");
    bad(
        ExtensionJar.sound(folder).classFile("sample/Pre.class", PREVIEW, JAVA_25),
        "class files: these need --enable-preview: sample.jar!sample/Pre.class");
    bad(
        ExtensionJar.sound(folder).with("win/x.dll", "MZ, which is not for Linux"),
        "native code: none is for this machine");
  }

  @Test
  void constructorsThatAreNoPromiseAreTold() throws IOException {
    String code =
        "public Provider() { Object o = new Reachability(null, \"x\", java.util.Map.of(), Set.of());"
            + " o = new HostRef(\"a\", \"b\"); }";
    bad(
        ExtensionJar.compiled(folder, code, "ExtensionDescriptor.API_VERSION"),
        "constructors: these values get further components, so use their builders and with"
            + " methods: sample.jar!sample/Provider.class (Reachability)\n");
  }

  @Test
  void whatDoesNoHarmIsNotBad() throws IOException {
    String elf = "\u007fELF" + "\0".repeat(14);
    CommandLineRun run =
        check(
            0,
            ExtensionJar.sound(folder)
                .with("META-INF/versions/99/sample/New.class", "for a Java to come")
                .with("lib/a.so", elf + ">\0")
                .with("lib/b.so.1", elf + "\u00b7\0")
                .into(folder.resolve("s")));
    assertThat(run.out()).contains("ok    native code: for linux-amd64, linux-arm64");
  }

  @Test
  void aFileThatIsNoJarIsTold() throws IOException {
    CommandLineRun run = check(1, Files.writeString(folder.resolve("x.jar"), "not a jar"));
    assertThat(run.out()).startsWith("BAD   jars: x.jar is no jar").contains("cannot be used");
  }

  @Test
  void aFolderIsCheckedWithItsManifestAndItsRights() throws IOException {
    Path own = folder.resolve("own");
    ExtensionJar.sound(folder).into(own);
    Files.writeString(own.resolve("extension.yaml"), "config: {a: b}\nnetwork_modes: [none]\n");
    assertThat(check(0, own).out()).contains("ok    extension.yaml: 1 setting\n");
    Files.writeString(own.resolve("extension.yaml"), "limits: [memory]\n");
    assertThat(check(1, own).out())
        .contains("BAD   extension.yaml: extension.yaml:1: limits[0]: 'memory' is more than");
    Files.setPosixFilePermissions(own, PosixFilePermissions.fromString("rwxrwxr-x"));
    assertThat(check(1, own).out()).contains("BAD   jars: own can be written by others");
  }

  @Test
  void aFolderWithoutJarsIsTold() throws IOException {
    Path empty = Files.createDirectory(folder.resolve("empty"));
    Files.setPosixFilePermissions(empty, PosixFilePermissions.fromString("rwx------"));
    assertThat(check(1, empty).out()).contains("BAD   jars: there is no jar in the folder");
  }

  @Test
  void toldAsJson() throws IOException {
    CommandLineRun run = new CommandLineRun();
    Path jar = ExtensionJar.sound(folder).into(folder.resolve("s"));
    assertThat(run.run("extension", "check", "--json", jar.toString())).isZero();
    JsonNode document = new ObjectMapper().readTree(run.out());
    assertThat(document.path("usable").asBoolean()).isTrue();
    assertThat(document.path("id").asText()).isEqualTo("ext.sample");
    assertThat(document.path("checks").findValuesAsText("name")).hasSize(8);
    assertThat(document.has("sink")).isFalse();
    CommandLineRun sink = new CommandLineRun();
    jar = ExtensionJar.sink(folder, KIND, SETTINGS).into(folder.resolve("s"));
    assertThat(sink.run("extension", "check", "--json", jar.toString())).isZero();
    document = new ObjectMapper().readTree(sink.out());
    assertThat(document.path("sink").asText()).isEqualTo("journal");
    assertThat(document.path("settings")).hasToString("[\"path\",\"sync\"]");
    assertThat(document.has("id")).isFalse();
  }

  @Test
  void aWrongCallIsTold() {
    CommandLineRun missing = new CommandLineRun();
    assertThat(missing.run("extension", "check", "/no/such.jar")).isEqualTo(2);
    assertThat(missing.err()).contains("/no/such.jar is not there");
    CommandLineRun bare = new CommandLineRun();
    assertThat(bare.run("extension")).isEqualTo(2);
    assertThat(bare.err()).contains("sandboxer extension check");
  }

  private void bad(ExtensionJar jar, String reason) throws IOException {
    assertThat(check(1, jar.into(folder.resolve("s"))).out())
        .containsPattern("(?m)^BAD .*" + java.util.regex.Pattern.quote(reason))
        .endsWith("It cannot be used.\n");
  }

  private static CommandLineRun check(int code, Path place) {
    CommandLineRun run = new CommandLineRun();
    assertThat(run.run("extension", "check", place.toString())).as(run.out()).isEqualTo(code);
    return run;
  }
}
