package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.testing.client.Api;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code sandboxer cp} with a real sandbox. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CopyTest {

  private Platform platform;
  private String id;

  @TempDir private Path folder;

  private Cli cli;

  @BeforeAll
  void start() {
    platform = Platform.start(Map.of());
    id = platform.api().ready().path("id").asText();
  }

  @AfterAll
  void stop() {
    platform.close();
  }

  @BeforeEach
  void emptyWorkspace() throws IOException {
    cli = new Cli(platform, folder);
    inside("rm -rf /workspace/* && mkdir there && echo old > file");
    Path source = Files.createDirectories(folder.resolve("src/sub"));
    Files.writeString(folder.resolve("src/a.txt"), "alpha\n");
    Path tool = Files.writeString(source.resolve("tool"), "#!/bin/sh\necho ran\n");
    assertThat(tool.toFile().setExecutable(true)).isTrue();
    Files.createSymbolicLink(folder.resolve("src/near"), Path.of("a.txt"));
    Files.createSymbolicLink(folder.resolve("src/away"), Path.of("/etc/passwd"));
  }

  private String inside(String script) {
    Api.Reply reply = platform.api().access(id).exec("sh", "-c", script);
    assertThat(reply.field("/exit_code")).as(reply.text()).isEqualTo("0");
    return reply.field("/stdout");
  }

  private Cli.Result copy(String from, String to, String... more) {
    String[] all = {"cp", from.replace("SB", id), to.replace("SB", id)};
    String[] words = Arrays.copyOf(all, all.length + more.length);
    System.arraycopy(more, 0, words, all.length, more.length);
    return cli.run(words);
  }

  @ParameterizedTest
  @CsvSource({
    "src/a.txt, SB:, a.txt",
    "src/a.txt, SB:there, there/a.txt",
    "src/a.txt, SB:there/, there/a.txt",
    "src/a.txt, SB:other, other",
    "src/a.txt, SB:file, file",
    "src/a.txt, SB:/tmp/x.txt, /tmp/x.txt",
    "src, SB:, src/a.txt",
    "src/, SB:there, there/src/a.txt",
    "src/., SB:there, there/a.txt",
    "src, SB:made, made/a.txt",
    "src/., SB:made, made/a.txt",
  })
  void inGoesWhereDockerWouldPutIt(String from, String to, String place) {
    Cli.Result copied = copy(from, to);
    assertThat(copied.code()).as(copied.err()).isZero();
    assertThat(inside("cat " + place)).isEqualTo("alpha\n");
  }

  @ParameterizedTest
  @CsvSource({
    "SB:src/a.txt, ., a.txt",
    "SB:src/a.txt, here, here/a.txt",
    "SB:src/a.txt, new.txt, new.txt",
    "SB:src, ., src/a.txt",
    "SB:src, here, here/src/a.txt",
    "SB:src/., here, here/a.txt",
    "SB:src, made, made/a.txt",
    "SB:link, ., link",
    "SB:/workspace/../workspace/src/a.txt, ., a.txt",
  })
  void outGoesWhereDockerWouldPutIt(String from, String to, String place) throws IOException {
    inside("mkdir src && echo alpha > src/a.txt && ln -s src/a.txt link");
    Path elsewhere = Files.createDirectories(folder.resolve("elsewhere"));
    Files.createDirectory(elsewhere.resolve("here"));
    cli = cli.in(elsewhere);
    Cli.Result copied = copy(from, to);
    assertThat(copied.code()).as(copied.err()).isZero();
    assertThat(elsewhere.resolve(place)).hasContent("alpha\n");
  }

  @Test
  void aFolderKeepsItsLinksAndPermissionsBothWays() throws IOException {
    Cli.Result in = copy("src", "SB:", "--json");
    assertThat(in.code()).as(in.err()).isZero();
    assertThat(in.json().path("direction").asText()).isEqualTo("in");
    assertThat(in.json().path("files").asInt()).isEqualTo(3);
    assertThat(in.json().path("skipped").path(0).asText()).contains("away");
    assertThat(inside("src/sub/tool; readlink src/near; ls src/away 2>&1 || true"))
        .startsWith("ran\na.txt\n")
        .contains("No such file");
    Cli.Result out = copy("SB:src", "back", "--json");
    assertThat(out.code()).as(out.err()).isZero();
    assertThat(out.json().path("bytes").asLong()).isEqualTo(6 + 19);
    assertThat(folder.resolve("back/sub/tool")).isExecutable();
    assertThat(Files.readSymbolicLink(folder.resolve("back/near"))).isEqualTo(Path.of("a.txt"));
  }

  @Test
  void streamsGoThroughStandardInputAndOutputUnchanged() {
    byte[] bytes = new byte[3 << 20];
    new Random(7).nextBytes(bytes);
    assertThat(cli.run(bytes, "cp", "-", id + ":data").code()).isZero();
    Cli.Result out = copy("SB:data", "-");
    assertThat(out.code()).as(out.err()).isZero();
    assertThat(out.bytes()).isEqualTo(bytes);
    inside("mkdir packed && echo alpha > packed/a.txt");
    assertThat(new String(copy("SB:packed", "-").bytes(), StandardCharsets.ISO_8859_1))
        .as("a folder is a tar")
        .contains("ustar", "a.txt", "alpha");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "nope|SB:|2|nope: there is no such file or folder on this machine",
        "src/a.txt|SB:new/|125|new/: there is no such folder in the sandbox",
        "src/a.txt|SB:no/where|125|/workspace/no: there is no such folder in the sandbox",
        "src/a.txt/|SB:|2|is a file: leave the slash out",
        "src|SB:file|125|file is a file, and src is a folder",
        "src/a.txt|SB:/usr/bin/x|125|read-only file system",
        "SB:nope|.|125|nope: there is no such file or folder in the sandbox",
        "SB:file/|.|2|is a file: leave the slash out",
        "SB:file|no/where|2|no: there is no such folder on this machine",
        "SB:there|src/a.txt|2|src/a.txt is a file, and",
        "a|b|2|one side must be in a sandbox",
        "SB:a|SB:b|2|both sides are in a sandbox",
        "-|SB:there|2|standard input has no name",
        "src/a.txt|sb_aaaaaaaaaaaaaaaaaaaa:|125|there is no sandbox",
        "src/a.txt|not an id:|2|is no sandbox:",
      })
  void whatCannotBeCopiedIsSaid(String from, String to, int code, String said) {
    Cli.Result refused = copy(from, to);
    assertThat(refused.code()).as(refused.err()).isEqualTo(code);
    assertThat(refused.err()).contains(said);
    assertThat(inside("cat file")).as("nothing was lost").isEqualTo("old\n");
  }

  @Test
  void aFullWorkspaceIsToldWithTheKeyOfTheProfile() throws IOException {
    Path big = folder.resolve("big");
    try (var file = new java.io.RandomAccessFile(big.toFile(), "rw")) {
      file.setLength(400L << 20);
    }
    Cli.Result refused = copy("big", "SB:file");
    assertThat(refused.code()).isEqualTo(125);
    assertThat(refused.err()).contains("there is no room", "resources.workspace", "STORAGE_FULL");
    assertThat(inside("cat file")).as("the old one stays").isEqualTo("old\n");
  }

  @Test
  void nothingIsWrittenThroughALinkThatWasThere() throws IOException {
    inside("mkdir src && echo alpha > src/a.txt");
    Path secret = Files.createDirectory(folder.resolve("secret"));
    Path here = Files.createDirectory(folder.resolve("here"));
    Files.createSymbolicLink(here.resolve("src"), secret);
    Cli.Result refused = copy("SB:src", "here");
    assertThat(refused.code()).isEqualTo(2);
    assertThat(secret).isEmptyDirectory();
    Path file = Files.writeString(secret.resolve("mine"), "mine");
    Files.createSymbolicLink(here.resolve("a.txt"), file);
    assertThat(copy("SB:src/a.txt", "here").code()).isZero();
    assertThat(file).hasContent("mine");
    assertThat(Files.isRegularFile(here.resolve("a.txt"), LinkOption.NOFOLLOW_LINKS)).isTrue();
  }
}
