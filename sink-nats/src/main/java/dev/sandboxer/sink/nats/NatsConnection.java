package dev.sandboxer.sink.nats;

import io.nats.client.Connection;
import io.nats.client.ErrorListener;
import io.nats.client.JetStream;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.JetStreamOptions;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The connection, made when first asked for and again after it broke: the platform's own retries
 * decide when. Safe for use by several threads.
 */
final class NatsConnection implements AutoCloseable {

  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final Duration REPLY = Duration.ofSeconds(10);

  /** For how long JetStream knows an id again: longer than a delivery is usually repeated. */
  private static final Duration KNOWN_AGAIN = Duration.ofHours(1);

  private static final int NOT_FOUND = 404;

  private final NatsSettings settings;
  private @Nullable Connection connection;

  NatsConnection(NatsSettings settings) {
    this.settings = settings;
  }

  synchronized Connection open() throws IOException, InterruptedException, JetStreamApiException {
    Connection known = connection;
    if (known != null && known.getStatus() == Connection.Status.CONNECTED) {
      return known;
    }
    close();
    Connection fresh = Nats.connect(options());
    connection = fresh;
    if (settings.createStream() && settings.stream().isPresent()) {
      createStream(fresh.jetStreamManagement(), settings.stream().get());
    }
    return fresh;
  }

  JetStream jetStream() throws IOException, InterruptedException, JetStreamApiException {
    return open().jetStream(JetStreamOptions.builder().requestTimeout(REPLY).build());
  }

  private Options options() throws IOException {
    Options.Builder options =
        new Options.Builder()
            .servers(settings.servers().toArray(String[]::new))
            .connectionName("sandboxer")
            .connectionTimeout(CONNECT)
            .noReconnect()
            .errorListener(new ErrorListener() {});
    if (settings.credentials().isPresent()) {
      options.authHandler(Nats.credentials(settings.credentials().get().toString()));
    }
    if (settings.token().isPresent()) {
      options.token(secret(settings.token().get()).toCharArray());
    }
    return options.build();
  }

  private static String secret(Path file) throws IOException {
    return Files.readString(file).strip();
  }

  private void createStream(JetStreamManagement streams, String name)
      throws IOException, JetStreamApiException {
    try {
      var _ = streams.getStreamInfo(name);
    } catch (JetStreamApiException e) {
      if (e.getErrorCode() != NOT_FOUND) {
        throw e;
      }
      var _ =
          streams.addStream(
              StreamConfiguration.builder()
                  .name(name)
                  .subjects(settings.subject() + ".>")
                  .storageType(StorageType.File)
                  .duplicateWindow(KNOWN_AGAIN)
                  .build());
    }
  }

  @Override
  public synchronized void close() {
    Connection known = connection;
    connection = null;
    if (known != null) {
      try {
        known.close();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
