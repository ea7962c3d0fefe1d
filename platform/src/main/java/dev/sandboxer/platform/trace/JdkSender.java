package dev.sandboxer.platform.trace;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.common.export.HttpResponse;
import io.opentelemetry.sdk.common.export.HttpSender;
import io.opentelemetry.sdk.common.export.HttpSenderConfig;
import io.opentelemetry.sdk.common.export.MessageWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;

/** Sends the SDK's batches with the JDK's client: no further library, no redirects. */
final class JdkSender implements HttpSender {

  private final HttpSenderConfig config;
  private final HttpClient client;

  JdkSender(HttpSenderConfig config) {
    this.config = config;
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(config.getTimeout())
            .executor(Executors.newVirtualThreadPerTaskExecutor());
    SSLContext tls = config.getSslContext();
    if (tls != null) {
      builder.sslContext(tls);
    }
    this.client = builder.build();
  }

  @Override
  public void send(
      MessageWriter message, Consumer<HttpResponse> answered, Consumer<Throwable> failed) {
    HttpRequest request =
        HttpRequest.newBuilder(config.getEndpoint())
            .timeout(config.getTimeout())
            .header("Content-Type", config.getContentType())
            .POST(HttpRequest.BodyPublishers.ofByteArray(bytes(message)))
            .build();
    CompletableFuture<Void> _ =
        client
            .sendAsync(request, java.net.http.HttpResponse.BodyHandlers.ofByteArray())
            .handle(
                (reply, thrown) -> {
                  if (thrown == null) {
                    answered.accept(new Answer(reply.statusCode(), reply.body()));
                  } else {
                    failed.accept(thrown);
                  }
                  return null;
                });
  }

  private static byte[] bytes(MessageWriter message) {
    ByteArrayOutputStream bytes =
        new ByteArrayOutputStream(Math.max(32, message.getContentLength()));
    try {
      message.writeMessage(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  @Override
  public CompletableResultCode shutdown() {
    client.shutdownNow();
    return CompletableResultCode.ofSuccess();
  }

  @SuppressWarnings("ArrayRecordComponent") // handed on, never compared
  private record Answer(int status, byte[] body) implements HttpResponse {

    @Override
    public int getStatusCode() {
      return status;
    }

    @Override
    public String getStatusMessage() {
      return "";
    }

    @Override
    public byte[] getResponseBody() {
      return body;
    }
  }
}
