package dev.sandboxer.dataplane.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandboxer.dataplane.BadAnswer;
import dev.sandboxer.dataplane.CallRefused;
import dev.sandboxer.dataplane.Connections;
import dev.sandboxer.dataplane.Dataplane;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SandboxFilesTest {
  private static final String ENTRY =
      "{\"path\":\"/workspace/a\",\"type\":\"file\",\"size_bytes\":5,\"mode\":\"0755\"}";

  private final Connections connections = new Connections();
  private FileServer server;
  private SandboxFiles files;

  @BeforeEach
  void start() throws IOException {
    server = new FileServer();
    files = new SandboxFiles(Dataplane.of(connections, server.base(), "t"));
  }

  @AfterEach
  void stop() {
    server.close();
    connections.close();
  }

  @Test
  void aFileIsLookedAt() throws Exception {
    server.answer(200, ENTRY).answer(404, "{\"error\":{\"code\":\"NOT_FOUND\"}}");
    InsideFile file = files.stat("a b/ü&c").orElseThrow();
    assertThat(file).isEqualTo(new InsideFile("/workspace/a", "file", 5, 0755, ""));
    assertThat(file.executable()).isTrue();
    assertThat(file.folder()).isFalse();
    assertThat(files.stat("none")).isEmpty();
    assertThat(server.calls().getFirst()).isEqualTo("GET /v1/files/stat?path=a+b%2F%C3%BC%26c");
  }

  @Test
  void anyOtherRefusalIsAnException() {
    server.answer(403, "{\"error\":{\"code\":\"FORBIDDEN\",\"message\":\"may not\"}}");
    assertThatThrownBy(() -> files.stat("a"))
        .isInstanceOf(CallRefused.class)
        .hasMessage("may not (FORBIDDEN)");
  }

  @Test
  void aFileIsWrittenAndRead() throws Exception {
    server.answer(201, ENTRY).answer(200, "hello");
    files.write("a", new ByteArrayInputStream("hello".getBytes(StandardCharsets.UTF_8)), "0644");
    assertThat(server.calls().getFirst()).isEqualTo("POST /v1/files/upload?path=a&mode=0644");
    assertThat(server.body()).isEqualTo("hello");
    ByteArrayOutputStream read = new ByteArrayOutputStream();
    AtomicLong moved = new AtomicLong();
    assertThat(files.read("a", read, moved::set)).isEqualTo(5);
    assertThat(read.toString(StandardCharsets.UTF_8)).isEqualTo("hello");
    assertThat(moved).hasValue(5);
  }

  @Test
  void aRefusedReadWritesNothing() {
    server.answer(409, "{\"error\":{\"code\":\"INVALID_STATE\",\"message\":\"a folder\"}}");
    ByteArrayOutputStream read = new ByteArrayOutputStream();
    assertThatThrownBy(() -> files.read("a", read, Progress.NONE))
        .isInstanceOf(CallRefused.class)
        .hasMessage("a folder (INVALID_STATE)");
    assertThat(read.size()).isZero();
  }

  @Test
  void aListIsFollowedToItsEnd() throws Exception {
    server
        .answer(200, "{\"items\":[" + ENTRY + "],\"next_cursor\":\"x/y\"}")
        .answer(200, "{\"items\":[" + ENTRY + "," + ENTRY + "],\"next_cursor\":null}");
    assertThat(files.list(".", 2)).hasSize(3);
    assertThat(server.calls())
        .containsExactly(
            "GET /v1/files/list?path=.&depth=2", "GET /v1/files/list?path=.&depth=2&cursor=x%2Fy");
  }

  @Test
  void aCursorThatLeadsNowhereEndsTheList() throws Exception {
    server.answer(200, "{\"items\":[],\"next_cursor\":\"again\"}");
    assertThat(files.list(".", 1)).isEmpty();
  }

  @Test
  void changesSayWhatIsMeant() throws Exception {
    server.answer(201, ENTRY);
    assertThat(files.makeFolder("d/e").path()).isEqualTo("/workspace/a");
    assertThat(server.body()).isEqualTo("{\"path\":\"d/e\",\"parents\":true}");
    server.answer(200, ENTRY);
    assertThat(files.move("a", "b", false).bytes()).isEqualTo(5);
    assertThat(server.body()).isEqualTo("{\"from\":\"a\",\"to\":\"b\",\"overwrite\":false}");
    server.answer(200, ENTRY);
    assertThat(files.changeMode("a", "0755").mode()).isEqualTo(0755);
    assertThat(server.body()).isEqualTo("{\"path\":\"a\",\"mode\":\"0755\"}");
    server.answer(204, "");
    files.remove("a", true);
    assertThat(server.body()).isEqualTo("{\"path\":\"a\",\"recursive\":true}");
    assertThat(server.calls())
        .containsExactly(
            "POST /v1/files/mkdir",
            "POST /v1/files/move",
            "POST /v1/files/chmod",
            "POST /v1/files/remove");
  }

  @Test
  void aListWithoutEndIsGivenUp() {
    String many = "{\"items\":[" + "1,".repeat(600_000) + "1],\"next_cursor\":\"x\"}";
    server.answer(200, many).answer(200, many);
    assertThatThrownBy(() -> files.list(".", 1)).isInstanceOf(BadAnswer.class);
  }
}
