package dev.sandboxer.platform.api.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.platform.testing.InProcess;
import dev.sandboxer.platform.testing.Restricted;
import dev.sandboxer.testing.client.Api;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a request may mount is what its profile allows; every refusal names its reason. */
@QuarkusTest
@TestProfile(Restricted.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RequestedMountsTest {

  private static final Path ROOT = Restricted.MOUNTS;

  private static final String LOCAL =
      """
      extension: ext.process
      best_effort: [uid, memory, pids, cpus, workspace, tmp, open_files]
      """;

  private final Api api = InProcess.api();

  private String readOnly = "";
  private String writable = "";
  private String inMemory = "";
  private String full = "";
  private String takenBack = "";
  private Set<String> before = Set.of();

  @BeforeAll
  void prepare() throws IOException {
    remove();
    for (String folder : new String[] {"data/below", "door", "hidden", "data-next"}) {
      Files.createDirectories(ROOT.resolve(folder));
    }
    Files.setPosixFilePermissions(
        Files.createDirectory(ROOT.resolve("open")), PosixFilePermissions.fromString("rwxrwxrwx"));
    Files.createDirectory(ROOT.resolve("open/below"));
    Files.createDirectories(ROOT.resolve("sticky/below"));
    Files.setAttribute(ROOT.resolve("sticky"), "unix:mode", 01777);
    Files.writeString(ROOT.resolve("file"), "no folder");
    Files.createSymbolicLink(ROOT.resolve("link"), Path.of("/etc"));
    readOnly =
        InProcess.profile(
            LOCAL
                + "mounts: [{tmpfs: 1Mi, mount_path: /own}]\n"
                + "caller_mounts: {roots: [%1$s/data, %1$s/odd, /srv/elsewhere, %1$s/door, %1$s/file, %1$s/link, %1$s/open, %1$s/sticky, %1$s/gone], modes: [ro], max: 3}\n"
                    .formatted(ROOT));
    writable =
        InProcess.profile(
            LOCAL
                + "mounts: [{host_path: %1$s/hidden, mount_path: /own, mode: rw, unlimited: true}]\n"
                    .formatted(ROOT)
                + "caller_mounts: {roots: [%s], modes: [rw], unlimited: true}\n".formatted(ROOT));
    inMemory = InProcess.profile(LOCAL + "caller_mounts: {modes: [tmpfs]}\n");
    String fifteen =
        IntStream.range(0, 15)
            .mapToObj("{tmpfs: 1Mi, mount_path: /own%d}"::formatted)
            .collect(Collectors.joining(", "));
    full =
        InProcess.profile(
            LOCAL + "mounts: [%s]\ncaller_mounts: {modes: [tmpfs]}\n".formatted(fifteen));
    takenBack = InProcess.profile("extends: %s@1\ncaller_mounts: {max: 0}\n".formatted(inMemory));
    before = sandboxes();
  }

  @AfterAll
  void noRefusalMadeASandbox() throws IOException {
    assertThat(sandboxes()).isEqualTo(before);
    remove();
  }

  private Set<String> sandboxes() {
    return Set.copyOf(
        api.get("/v1/sandboxes?limit=1000").json().path("items").findValuesAsText("id"));
  }

  private static void remove() throws IOException {
    if (Files.exists(ROOT)) {
      try (Stream<Path> paths = Files.walk(ROOT)) {
        for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(path);
        }
      }
    }
  }

  private static String body(String profile, String mounts) {
    return "{\"profile\": \"%s\", \"consumer\": {\"actor\": \"adm\", \"project\": \"p\"}, \"mounts\": [%s]}"
        .formatted(profile, mounts.replace("ROOT", ROOT.toString()));
  }

  private Api.Reply refused(String profile, String mounts) {
    Api.Reply reply = api.post("/v1/sandboxes", body(profile, mounts));
    assertThat(reply.status()).as(reply.text()).isEqualTo(400);
    assertThat(reply.code()).isEqualTo("VALIDATION");
    assertThat(reply.json().path("example").path("profile").asText()).isEqualTo("local");
    return reply;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "7|field 'mounts[0]' is 7; it must be an object",
        "null|field 'mounts[0]' is null; it must be an object",
        "\"/srv\"|field 'mounts[0]' is \"/srv\"; it must be an object",
        "{}|field 'mounts[0].mount_path' is missing: a path inside",
        "{\"mount_path\": \"/a\"}|field 'mounts[0].host_path' is missing: a folder of the host, such as /srv/data; or instead 'volume'",
        "{\"host_path\": \"/srv\"}|field 'mounts[0].mount_path' is missing",
        "{\"source\": \"/srv\", \"mount_path\": \"/a\"}|unknown fields '[source]' in 'mounts[0]'",
        "{\"volume\": 7, \"mount_path\": \"/a\"}|field 'mounts[0].volume' is 7; it must be the name of a volume",
        "{\"volume\": \"A_b\", \"mount_path\": \"/a\"}|field 'mounts[0].volume': \"A_b\" must be the name of a volume: 1 to 63",
        "{\"volume\": \"../v\", \"mount_path\": \"/a\"}|must be the name of a volume",
        "{\"volume\": \"v\", \"host_path\": \"/srv\", \"mount_path\": \"/a\"}|field 'mounts[0].volume': \"v\" excludes 'host_path'",
        "{\"volume\": \"v\", \"tmpfs\": \"1Mi\", \"mount_path\": \"/a\"}|field 'mounts[0].tmpfs': \"1Mi\" excludes 'volume'",
        "{\"volume\": \"v\", \"mount_path\": \"/a\"}, {\"volume\": \"v\", \"mount_path\": \"/b\"}|field 'mounts[1].mount_path': \"/b\" and the mount at '/a' show one volume, 'v'",
        "{\"volume\": \"v\", \"mount_path\": \"/a\"}|a request may not mount a volume, as at '/a'; 'volume' in caller_mounts.modes would allow it",
        "{\"host_path\": \"/srv\", \"tmpfs\": \"1Mi\", \"mount_path\": \"/a\"}|field 'mounts[0].tmpfs': \"1Mi\" excludes 'host_path'",
        "{\"tmpfs\": \"1Mi\", \"mount_path\": \"/a\", \"mode\": \"rw\"}|field 'mounts[0].mode': \"rw\" cannot stand beside 'tmpfs'",
        "{\"host_path\": \"/srv\", \"mount_path\": \"/a\", \"mode\": \"w\"}|field 'mounts[0].mode' is \"w\"; it must be ro or rw",
        "{\"host_path\": \"/srv\", \"mount_path\": \"/a\", \"mode\": true}|field 'mounts[0].mode' is true; it must be ro or rw",
        "{\"tmpfs\": 64, \"mount_path\": \"/a\"}|field 'mounts[0].tmpfs' is 64; it must be a size",
        "{\"tmpfs\": \"64\", \"mount_path\": \"/a\"}|field 'mounts[0].tmpfs': \"64\" must be a size with a unit",
        "{\"tmpfs\": \"64MB\", \"mount_path\": \"/a\"}|must be a size with a unit",
        "{\"tmpfs\": \"0Mi\", \"mount_path\": \"/a\"}|must be a size with a unit",
        "{\"tmpfs\": \"-1Mi\", \"mount_path\": \"/a\"}|must be a size with a unit",
        "{\"tmpfs\": \"99999Gi\", \"mount_path\": \"/a\"}|field 'mounts[0].tmpfs': \"99999Gi\" is more than 16384Gi",
        "{\"host_path\": \"srv\", \"mount_path\": \"/a\"}|field 'mounts[0].host_path': \"srv\" must be an absolute path",
        "{\"host_path\": \"\", \"mount_path\": \"/a\"}|field 'mounts[0].host_path': \"\" must be an absolute path",
        "{\"host_path\": 7, \"mount_path\": \"/a\"}|field 'mounts[0].host_path' is 7",
        "{\"host_path\": \"/\", \"mount_path\": \"/a\"}|field 'mounts[0].host_path': \"/\" is the whole host",
        "{\"host_path\": \"/srv/../etc\", \"mount_path\": \"/a\"}|without '..'",
        "{\"host_path\": \"/srv/./a\", \"mount_path\": \"/a\"}|must be an absolute path",
        "{\"host_path\": \"/srv//a\", \"mount_path\": \"/a\"}|must be an absolute path",
        "{\"host_path\": \"/srv/\", \"mount_path\": \"/a\"}|must be an absolute path",
        "{\"host_path\": \"/srv/a:b\", \"mount_path\": \"/a\"}|must be an absolute path",
        "{\"host_path\": \"/srv/\\u0000\", \"mount_path\": \"/a\"}|field 'mounts[0].host_path': \"/srv/\\u0000\" must be an absolute path",
        "{\"host_path\": \"/srv\", \"mount_path\": \"/a\\n/b\"}|field 'mounts[0].mount_path': \"/a\\n/b\" must be an absolute path",
        "{\"host_path\": \"/srv\", \"mount_path\": \"/a\\u0085\"}|control characters",
        "{\"host_path\": \"/srv\", \"mount_path\": \"/a\\ud800\"}|must be an absolute path",
        "{\"host_path\": \"/srv\", \"mount_path\": \"a\"}|field 'mounts[0].mount_path': \"a\" must be an absolute path",
        "{\"host_path\": \"/srv\", \"mount_path\": \"/\"}|is the sandbox's own",
        "{\"host_path\": \"/srv\", \"mount_path\": \"/proc/self\"}|field 'mounts[0].mount_path': \"/proc/self\" is the sandbox's own",
        "{\"host_path\": \"/srv\", \"mount_path\": \"/var\"}|field 'mounts[0].mount_path': \"/var\" is the sandbox's own",
        "{\"tmpfs\": \"1Mi\", \"mount_path\": \"/workspace\"}|field 'mounts[0].mount_path': \"/workspace\" is a file system in memory already",
        "{\"host_path\": \"/srv\", \"mount_path\": \"/workspace\"}, {\"host_path\": \"/srv\", \"mount_path\": \"/workspace\"}|field 'mounts[1].mount_path': \"/workspace\" and the mount at '/workspace' overlap",
        "{\"host_path\": \"/srv\", \"mount_path\": \"/workspace\"}, {\"tmpfs\": \"1Mi\", \"mount_path\": \"/workspace/a\"}, {\"tmpfs\": \"1Mi\", \"mount_path\": \"/workspace/a/b\"}|field 'mounts[2].mount_path': \"/workspace/a/b\" and the mount at '/workspace/a' overlap",
        "{\"host_path\": \"/srv\", \"mount_path\": \"/a\", \"content_digest\": 7}|field 'mounts[0].content_digest' is 7; it must be a digest",
        "{\"host_path\": \"/srv\", \"mount_path\": \"/a\", \"content_digest\": \"sha256:ab\"}|field 'mounts[0].content_digest': \"sha256:ab\" must be 'sha256:' and 64 of 0-9a-f",
        "{\"host_path\": \"/srv\", \"mount_path\": \"/a\", \"content_digest\": \"sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa0\"}|must be 'sha256:' and 64 of 0-9a-f",
        "{\"host_path\": \"/srv\", \"mount_path\": \"/a\", \"mode\": \"rw\", \"content_digest\": \"sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}|excludes mode rw: what is verified is read-only",
        "{\"tmpfs\": \"1Mi\", \"mount_path\": \"/a\", \"content_digest\": \"sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}|is of a folder of the host alone",
        "{\"volume\": \"v\", \"mount_path\": \"/a\", \"content_digest\": \"sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}|is of a folder of the host alone",
        "{\"mount_path\": \"/a\", \"content_digest\": \"sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}|is of a folder of the host alone",
        "{\"host_path\": \"/srv/a\", \"mount_path\": \"/a\", \"content_digest\": \"sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}, {\"host_path\": \"/srv/a/b\", \"mount_path\": \"/b\", \"mode\": \"rw\"}|field 'mounts[1].mount_path': \"/b\" and the mount at '/a' show '/srv/a/b' and '/srv/a': what has a content_digest",
        "{\"host_path\": \"/srv\", \"mount_path\": \"/workspace/../etc\"}|without '..'",
        "{\"tmpfs\": \"1Mi\", \"mount_path\": \"/.sandboxer/x\"}|is the sandbox's own",
        "{\"tmpfs\": \"1Mi\", \"mount_path\": \"/a\"}, {\"tmpfs\": \"1Mi\", \"mount_path\": \"/a\"}|field 'mounts[1].mount_path': \"/a\" and the mount at '/a' overlap",
        "{\"tmpfs\": \"1Mi\", \"mount_path\": \"/a/b\"}, {\"tmpfs\": \"1Mi\", \"mount_path\": \"/a\"}|field 'mounts[1].mount_path': \"/a\" and the mount at '/a/b' overlap",
        "{\"host_path\": \"/srv\", \"mount_path\": \"/a\", \"mode\": \"rw\"}, {\"host_path\": \"/srv/b\", \"mount_path\": \"/b\"}|field 'mounts[1].mount_path': \"/b\" and the mount at '/a' show '/srv/b' and '/srv'",
      })
  void aWrongFieldIsNamed(String mounts, String expected) {
    assertThat(refused(writable, mounts).field("/detail")).contains(expected);
  }

  @Test
  void aListOrAPathThatIsTooLongIsRefused() {
    String many =
        IntStream.range(0, 17)
            .mapToObj("{\"tmpfs\": \"1Mi\", \"mount_path\": \"/a%d\"}"::formatted)
            .collect(Collectors.joining(","));
    assertThat(refused(inMemory, many).field("/detail"))
        .startsWith("field 'mounts' is ")
        .endsWith("it must be a list of at most 16");
    String path = "/" + "x".repeat(9_999);
    Api.Reply host = refused(writable, folder(path, "/a", "ro"));
    assertThat(host.field("/detail"))
        .startsWith("field 'mounts[0].host_path': \"/xxx")
        .endsWith("has 10000 characters: a path may have 255")
        .hasSizeLessThan(300);
    assertThat(refused(writable, folder("/srv", path, "ro")).field("/detail"))
        .startsWith("field 'mounts[0].mount_path': \"/xxx")
        .endsWith("has 10000 characters: a path may have 255");
  }

  private static String folder(String source, String target, String mode) {
    return "{\"host_path\": \"%s\", \"mount_path\": \"%s\", \"mode\": \"%s\"}"
        .formatted(source, target, mode);
  }

  private static String memory(String target) {
    return "{\"tmpfs\": \"1Mi\", \"mount_path\": \"%s\"}".formatted(target);
  }

  private void refused(String profile, String mounts, String key, String expected) {
    Api.Reply reply = refused(profile, mounts);
    assertThat(reply.field("/detail")).contains(expected);
    assertThat(reply.field("/profile_key")).isEqualTo(key);
  }

  @Test
  void whatTheProfileDoesNotAllowIsRefusedWithItsKey() {
    String key = "caller_mounts";
    refused("local", memory("/a"), key, "profile.local@1: requests may mount nothing");
    refused(takenBack, memory("/a"), key, "requests may mount nothing");
    refused(readOnly, memory("/a"), key, "may not mount a tmpfs, as at '/a'");
    refused(inMemory, folder("/srv", "/a", "ro"), key, "may not mount folders of the host");
    refused(readOnly, folder("ROOT/data", "/a", "rw"), key, "only with mode ro; 'rw' in caller_");
    refused(readOnly, folder("/etc", "/a", "ro"), key, "'/etc' lies outside the folders");
    refused(readOnly, folder("ROOT", "/a", "ro"), key, "lies outside the folders");
    refused(readOnly, folder("ROOT/data-next", "/a", "ro"), key, "lies outside the folders");
    String four =
        IntStream.range(0, 4)
            .mapToObj(n -> folder("ROOT/data", "/a" + n, "ro"))
            .collect(Collectors.joining(","));
    refused(readOnly, four, key, "may have 3 mounts (caller_mounts.max), and this one has 4");
  }

  @Test
  void whatTheProfileMountsItselfIsRespected() {
    refused(
        readOnly,
        folder("ROOT/data", "/own/data", "ro"),
        "mounts",
        "'/own/data' and the mount at '/own' overlap");
    refused(
        writable,
        folder("ROOT/hidden/x", "/a", "ro"),
        "mounts",
        "below a folder that is mounted for writing");
    refused(
        full,
        memory("/a") + "," + memory("/b"),
        "mounts",
        "may have 16 mounts; the profile has 15, and the request 2");
  }

  @Test
  void theHostsRulesHoldForRequestsToo() throws IOException {
    Map<String, String> wrong =
        Map.of(
            "ROOT/link", "is a link: name the folder that it leads to",
            "ROOT/link/ssl", "link is a link",
            "ROOT/file", "is no folder",
            "ROOT/gone", "is not there",
            "ROOT/open", "is writable for others",
            "ROOT/open/below", "open is writable for others",
            "ROOT/sticky", "is writable for others",
            "ROOT/door", "holds the socket " + ROOT + "/door/s",
            "/srv/elsewhere", "is outside the folders that tenant 'default' may mount");
    try (ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      // A socket's address is short, however deep the build folder lies.
      Path near = Files.createTempDirectory("sbx");
      socket.bind(UnixDomainSocketAddress.of(near.resolve("s")));
      Files.move(near.resolve("s"), ROOT.resolve("door/s"));
      Files.delete(near);
      wrong.forEach(
          (source, why) ->
              assertThat(refused(readOnly, folder(source, "/a", "ro")).field("/detail"))
                  .startsWith("mount at '/a': ")
                  .contains(why));
    }
  }

  /** As on /tmp: nobody else can replace what lies there and belongs to the platform's user. */
  @Test
  void aFolderMayLieInOneWithTheStickyBit() {
    String below = body(readOnly, folder("ROOT/sticky/below", "/a", "ro"));
    Api.Reply fine = api.post("/v1/routes/explain", below);
    assertThat(fine.status()).as(fine.text()).isEqualTo(200);
  }

  @Test
  void anExplanationTakesThemAndAQuoteDoesNot() {
    Api.Reply fine =
        api.post("/v1/routes/explain", body(readOnly, folder("ROOT/data/below", "/a", "ro")));
    assertThat(fine.status()).as(fine.text()).isEqualTo(200);
    String wrong = body(readOnly, folder("/etc", "/a", "ro"));
    assertThat(api.post("/v1/routes/explain", wrong).field("/detail")).contains("lies outside");
    Api.Reply quote =
        api.post("/v1/quotes", "{\"profile\": \"%s\", \"mounts\": []}".formatted(readOnly));
    assertThat(quote.status()).isEqualTo(400);
    assertThat(quote.field("/detail")).contains("unknown fields '[mounts]'");
  }

  @Test
  void aProfileShowsWhatItAllows() {
    JsonNode shown = api.get("/v1/profiles/" + writable).json().path("caller_mounts");
    assertThat(shown.toString())
        .isEqualTo("{\"roots\":[\"%s\"],\"modes\":[\"rw\"],\"max\":16}".formatted(ROOT));
    JsonNode nothing = api.get("/v1/profiles/local").json().path("caller_mounts");
    assertThat(nothing.toString()).isEqualTo("{\"roots\":[],\"modes\":[],\"max\":0}");
  }
}
