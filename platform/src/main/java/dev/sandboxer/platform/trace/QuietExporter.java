package dev.sandboxer.platform.trace;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.net.URI;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jboss.logging.Logger;

/** Says once that the receiver does not take the spans, and once that it does again. */
final class QuietExporter implements SpanExporter {

  private static final Logger LOG = Logger.getLogger(QuietExporter.class);

  private final SpanExporter exporter;
  private final String receiver;
  private final AtomicBoolean failing = new AtomicBoolean();

  QuietExporter(SpanExporter exporter, URI endpoint) {
    this.exporter = exporter;
    // Without what stands before the host: it may be a password.
    this.receiver = endpoint.getHost() + ":" + endpoint.getPort();
  }

  @Override
  public CompletableResultCode export(Collection<SpanData> spans) {
    CompletableResultCode result = exporter.export(spans);
    return result.whenComplete(() -> told(result));
  }

  private void told(CompletableResultCode result) {
    boolean before = failing.getAndSet(!result.isSuccess());
    if (!result.isSuccess() && !before) {
      LOG.warnf(
          "traces are dropped until they are taken again receiver=%s reason=%s",
          receiver, result.getFailureThrowable());
    } else if (result.isSuccess() && before) {
      LOG.infof("traces are taken again receiver=%s", receiver);
    }
  }

  @Override
  public CompletableResultCode flush() {
    return exporter.flush();
  }

  @Override
  public CompletableResultCode shutdown() {
    return exporter.shutdown();
  }
}
