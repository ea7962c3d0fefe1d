package dev.sandboxer.dataplane.process;

import static dev.sandboxer.testing.sandbox.LyingSandbox.output;
import static dev.sandboxer.testing.sandbox.LyingSandbox.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandboxer.dataplane.CallRefused;
import dev.sandboxer.dataplane.Connections;
import dev.sandboxer.dataplane.Dataplane;
import dev.sandboxer.dataplane.exec.CapturedOutput;
import dev.sandboxer.dataplane.exec.CommandEnd;
import dev.sandboxer.dataplane.exec.CommandRequest;
import dev.sandboxer.testing.sandbox.LyingSandbox;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProcessesTest {
  private static final String RECORD =
      "{\"process_id\":\"p\",\"state\":\"running\",\"pid\":7,\"command\":[\"sleep\",\"9\"],"
          + "\"started_at\":\"2030-01-01T00:00:00Z\",\"restarts\":2,\"exit_code\":null,"
          + "\"stdout\":{\"first\":0,\"next\":6},\"stderr\":{\"first\":0,\"next\":1}}";

  private final Connections connections = new Connections();
  private final CapturedOutput captured = new CapturedOutput(1000);
  private final List<String> events = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    connections.close();
  }

  private Dataplane of(LyingSandbox sandbox) {
    return Dataplane.of(connections, URI.create("http://127.0.0.1:" + sandbox.port() + "/v1"), "t");
  }

  @Test
  void recordsAreRead() throws Exception {
    try (LyingSandbox sandbox =
        new LyingSandbox(line -> line.json(200, "{\"items\":[" + RECORD + ",{},7]}"))) {
      List<ManagedProcess> all = new Processes(of(sandbox)).list();
      assertThat(all).hasSize(3);
      ManagedProcess process = all.getFirst();
      assertThat(process.id()).isEqualTo("p");
      assertThat(process.state()).isEqualTo("running");
      assertThat(process.pid()).contains(7L);
      assertThat(process.command()).containsExactly("sleep", "9");
      assertThat(process.startedAt()).contains(Instant.parse("2030-01-01T00:00:00Z"));
      assertThat(process.restarts()).isEqualTo(2);
      assertThat(process.outputBytes()).isEqualTo(7);
      assertThat(process.end()).isEqualTo(new CommandEnd(null, null, Duration.ZERO, false, 0));
      assertThat(all.get(1).command()).isEmpty();
      assertThat(all.get(2).startedAt()).isEmpty();
    }
  }

  @Test
  void eachCallHasItsRoute() throws Exception {
    try (LyingSandbox sandbox = new LyingSandbox(line -> line.json(200, RECORD))) {
      Processes processes = new Processes(of(sandbox));
      CommandRequest sleep = CommandRequest.of("sleep", "9");
      assertThat(processes.start(ProcessRequest.of("p", sleep)).id()).isEqualTo("p");
      assertThat(processes.get("p").id()).isEqualTo("p");
      processes.signal("p", "HUP");
      assertThat(processes.stop("p").id()).isEqualTo("p");
      assertThat(sandbox.heads())
          .extracting(head -> head.lines().findFirst().orElseThrow())
          .containsExactly(
              "POST /v1/processes HTTP/1.1",
              "GET /v1/processes/p HTTP/1.1",
              "POST /v1/processes/p/signal HTTP/1.1",
              "DELETE /v1/processes/p HTTP/1.1");
      assertThat(new ProcessRequest(sleep, "p", "always", true).body())
          .hasToString(
              "{\"command\":[\"sleep\",\"9\"],\"process_id\":\"p\",\"restart\":\"always\",\"replace\":true}");
    }
  }

  @Test
  void whatIsNoIdOrNoProcessNeverLeaves() throws Exception {
    try (LyingSandbox sandbox = new LyingSandbox(line -> line.json(200, RECORD))) {
      Processes processes = new Processes(of(sandbox));
      assertThatThrownBy(() -> processes.get("../files"))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> new ProcessLog(of(sandbox), "a?b", new LogListener() {}))
          .isInstanceOf(IllegalArgumentException.class);
      CommandRequest limited = CommandRequest.of("x").withTimeout(Duration.ofSeconds(1));
      assertThatThrownBy(() -> ProcessRequest.of("p", limited))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(sandbox.heads()).isEmpty();
    }
  }

  private final class Noting implements LogListener {
    @Override
    public void gap(String stream, long from, long to) {
      events.add("gap " + stream + " " + from + " " + to);
    }

    @Override
    public void ended(CommandEnd end, boolean again) {
      events.add("ended " + end.exitCode() + " " + again);
    }

    @Override
    public void lost(String why) {
      events.add("lost");
    }
  }

  @Test
  void whatIsThereIsReadOnce() throws Exception {
    try (LyingSandbox sandbox =
        new LyingSandbox(
            line -> {
              if (!line.request().contains("/attach?")) {
                line.json(200, RECORD);
                return;
              }
              line.accept();
              line.send(output(1, "sixsix"));
              line.send(output(2, "e"));
              line.hold();
            })) {
      ProcessLog log = new ProcessLog(of(sandbox), "p", new Noting());
      log.read(captured);
      log.read(captured);
      assertThat(captured.outText()).isEqualTo("sixsix");
      assertThat(captured.errText()).isEqualTo("e");
      assertThat(events).isEmpty();
    }
  }

  @Test
  void aLostConnectionIsMadeAgainWhereItBroke() throws Exception {
    try (LyingSandbox sandbox =
        new LyingSandbox(
            line -> {
              if (!line.request().contains("/attach?")) {
                line.json(200, RECORD);
                return;
              }
              line.accept();
              if (line.request().contains("stdout_offset=0&")) {
                line.send(output(1, "one"));
                return; // broken off
              }
              if (line.request().contains("stdout_offset=3&stderr_offset=0")) {
                line.send(text("{\"type\":\"gap\",\"stream\":\"stdout\",\"from\":3,\"to\":10}"));
                line.send(output(1, "two"));
                line.send(text("{\"type\":\"exit\",\"exit_code\":1,\"restarting\":true}"));
                line.send(text("{\"type\":\"exit\",\"exit_code\":0}"));
              }
              line.hold();
            })) {
      new ProcessLog(of(sandbox), "p", new Noting()).follow(captured);
      assertThat(captured.outText()).isEqualTo("onetwo");
      assertThat(events)
          .containsExactly("lost", "gap stdout 3 10", "ended 1 true", "ended 0 false");
    }
  }

  @Test
  void aLogOfNoProcessIsRefused() throws Exception {
    try (LyingSandbox sandbox =
        new LyingSandbox(line -> line.json(404, "{\"error\":{\"code\":\"NOT_FOUND\"}}"))) {
      ProcessLog log = new ProcessLog(of(sandbox), "p", new Noting());
      assertThatThrownBy(() -> log.follow(captured)).isInstanceOf(CallRefused.class);
    }
  }
}
