package dev.sandboxer.sink.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.spi.ExtensionConfig;
import dev.sandboxer.spi.sink.EventMessage;
import dev.sandboxer.spi.sink.EventSink;
import dev.sandboxer.spi.sink.SinkException;
import dev.sandboxer.testing.NatsServer;
import dev.sandboxer.testing.NoCall;
import dev.sandboxer.testing.SampleEvents;
import io.nats.client.Connection;
import io.nats.client.JetStreamManagement;
import io.nats.client.Message;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.Subscription;
import io.nats.client.api.StreamConfiguration;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Against the real server. */
@SuppressWarnings("try") // a close that is interrupted ends the test
class NatsSinkIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir private Path folder;

  private static EventSink sink(String... config) {
    Map<String, String> values = new HashMap<>();
    for (int i = 0; i < config.length; i += 2) {
      values.put(config[i], config[i + 1]);
    }
    return new NatsSinkProvider().create(new ExtensionConfig(values));
  }

  private static void deliver(EventSink sink, int number) throws SinkException {
    sink.deliver(SampleEvents.event(number, 0), new NoCall());
  }

  /** The library itself waits 2 s, for a connection and for each reply. */
  private static Connection connect(NatsServer server) throws Exception {
    return Nats.connect(Options.builder().server(server.url()).connectionTimeout(PATIENCE).build());
  }

  /** What the stream keeps, in order. */
  private static List<String> kept(NatsServer server, String stream) throws Exception {
    try (Connection connection = connect(server)) {
      JetStreamManagement streams = connection.jetStreamManagement();
      long last = streams.getStreamInfo(stream).getStreamState().getLastSequence();
      List<String> kept = new ArrayList<>();
      for (long n = 1; n <= last; n++) {
        var message = streams.getMessage(stream, n);
        kept.add(
            message.getHeaders().getFirst("Nats-Msg-Id")
                + " "
                + message.getSubject()
                + " "
                + new String(message.getData(), StandardCharsets.UTF_8));
      }
      return kept;
    }
  }

  private static String line(int number) {
    return "evt_%d sandboxer.events.ten_a.sandbox.ready {\"n\": %d, \"fill\": \"\"}"
        .formatted(number, number);
  }

  @Test
  void anEventIsKeptOnceHoweverOftenItComes() throws Exception {
    try (NatsServer server = new NatsServer(folder);
        EventSink sink = sink("url", server.url(), "create_stream", "true")) {
      deliver(sink, 1);
      deliver(sink, 2);
      deliver(sink, 1);
      try (EventSink again = sink("url", server.url(), "create_stream", "true")) {
        deliver(again, 2);
        deliver(again, 3);
      }
      assertThat(kept(server, "SANDBOXER")).containsExactly(line(1), line(2), line(3));
    }
  }

  @Test
  void aServerThatIsAwayIsTriedUntilItIsBackAndHasEverything() throws Exception {
    try (NatsServer server = new NatsServer(folder);
        EventSink sink = sink("url", server.url(), "create_stream", "true")) {
      deliver(sink, 1);
      server.kill();
      assertThatThrownBy(() -> deliver(sink, 2))
          .isInstanceOfSatisfying(SinkException.class, e -> assertThat(e.isRefused()).isFalse())
          .hasMessageContaining(server.url());
      server.comeBack();
      await().atMost(PATIENCE).until(() -> taken(sink, 2));
      assertThat(kept(server, "SANDBOXER")).containsExactly(line(1), line(2));
    }
  }

  private static boolean taken(EventSink sink, int number) {
    try {
      deliver(sink, number);
      return true;
    } catch (SinkException e) {
      return false;
    }
  }

  @Test
  void aServerThatIsNotThereYetIsNoReasonToFailAtTheStart() {
    try (EventSink sink = sink("url", "nats://127.0.0.1:1")) {
      assertThatThrownBy(() -> deliver(sink, 1)).hasMessageContaining("is away");
    }
  }

  @Test
  void withoutAStreamTheOperatorIsToldWhatToDo() throws Exception {
    try (NatsServer server = new NatsServer(folder);
        EventSink sink = sink("url", server.url(), "subject", "site.one")) {
      assertThatThrownBy(() -> deliver(sink, 1))
          .isInstanceOfSatisfying(SinkException.class, e -> assertThat(e.isRefused()).isFalse())
          .hasMessageContaining("no stream takes site.one.>");
      try (Connection connection = connect(server)) {
        var _ =
            connection
                .jetStreamManagement()
                .addStream(
                    StreamConfiguration.builder().name("SANDBOXER").subjects("site.>").build());
      }
      deliver(sink, 1);
      assertThat(kept(server, "SANDBOXER").getFirst()).startsWith("evt_1 site.one.ten_a.");
    }
  }

  @Test
  void aStreamThatIsThereIsLeftAsItIs() throws Exception {
    try (NatsServer server = new NatsServer(folder);
        Connection connection = connect(server)) {
      JetStreamManagement streams = connection.jetStreamManagement();
      var _ =
          streams.addStream(
              StreamConfiguration.builder().name("MINE").subjects("x.>").maxMessages(7).build());
      try (EventSink sink =
          sink("url", server.url(), "stream", "MINE", "subject", "x", "create_stream", "true")) {
        deliver(sink, 1);
      }
      assertThat(streams.getStreamInfo("MINE").getConfiguration().getMaxMsgs()).isEqualTo(7);
      assertThat(streams.getStreamInfo("MINE").getStreamState().getMsgCount()).isEqualTo(1);
    }
  }

  @Test
  void whatIsTooLargeIsRefusedAndWhatComesNextIsNot() throws Exception {
    try (NatsServer server = new NatsServer(folder);
        EventSink sink = sink("url", server.url(), "create_stream", "true");
        EventSink small = sink("url", server.url(), "stream", "SMALL", "subject", "small");
        Connection connection = connect(server)) {
      deliver(sink, 1);
      refused(sink, SampleEvents.event(2, 1_100_000));
      deliver(sink, 3);
      var _ =
          connection
              .jetStreamManagement()
              .addStream(
                  StreamConfiguration.builder()
                      .name("SMALL")
                      .subjects("small.>")
                      .maximumMessageSize(200)
                      .build());
      refused(small, SampleEvents.event(1, 300));
      deliver(small, 2);
    }
  }

  private static void refused(EventSink sink, EventMessage event) {
    assertThatThrownBy(() -> sink.deliver(event, new NoCall()))
        .isInstanceOfSatisfying(SinkException.class, e -> assertThat(e.isRefused()).isTrue());
  }

  @Test
  void aFullStreamIsAwayNotRefused() throws Exception {
    try (NatsServer server = new NatsServer(folder);
        EventSink sink = sink("url", server.url());
        Connection connection = connect(server)) {
      var _ =
          connection
              .jetStreamManagement()
              .addStream(
                  StreamConfiguration.builder()
                      .name("SANDBOXER")
                      .subjects("sandboxer.events.>")
                      .maxMessages(1)
                      .discardPolicy(io.nats.client.api.DiscardPolicy.New)
                      .build());
      deliver(sink, 1);
      assertThatThrownBy(() -> deliver(sink, 2))
          .isInstanceOfSatisfying(SinkException.class, e -> assertThat(e.isRefused()).isFalse());
      var _ = connection.jetStreamManagement().purgeStream("SANDBOXER");
      deliver(sink, 2);
    }
  }

  @Test
  void plainMessagesReachWhoListens() throws Exception {
    try (NatsServer server = new NatsServer(folder);
        Connection connection = connect(server);
        EventSink sink = sink("url", server.url(), "mode", "core")) {
      Subscription listener = connection.subscribe("sandboxer.events.*.sandbox.ready");
      connection.flush(PATIENCE);
      deliver(sink, 1);
      Message heard = listener.nextMessage(PATIENCE);
      assertThat(new String(heard.getData(), StandardCharsets.UTF_8)).contains("\"n\": 1");
      server.kill();
      assertThatThrownBy(() -> deliver(sink, 2)).hasMessageContaining("is away");
    }
  }

  @Test
  void aTokenIsReadFromItsFile() throws Exception {
    Path token = Files.writeString(folder.resolve("token"), "s3cret\n");
    Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-------"));
    try (NatsServer server = new NatsServer(folder, "--auth", "s3cret");
        EventSink stranger = sink("url", server.url(), "mode", "core");
        EventSink sink =
            sink("url", server.url(), "mode", "core", "token_file", token.toString())) {
      assertThatThrownBy(() -> deliver(stranger, 1)).hasMessageContaining("is away");
      deliver(sink, 1);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "url,'',such as nats://",
    "url,http://nats:4222,such as nats://",
    "url,nats://user:password@host,such as nats://",
    "subject,a..b,letters",
    "subject,a.>,letters",
    "stream,a.b,letters",
    "mode,best,jetstream or core",
    "create_stream,yes,false or true",
    "token_file,token,absolute path",
    "token,secret,unknown keys [token]",
  })
  void aWrongSettingIsNamed(String name, String value, String told) {
    assertThatThrownBy(
            () -> sink("url", name.equals("url") ? value : "nats://localhost", name, value))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(name)
        .hasMessageContaining(told);
  }
}
