package dev.sandboxer.platform.trace;

import dev.sandboxer.platform.installation.Authorities;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporterBuilder;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The SDK, sending every span to one receiver: in batches, by a thread of its own, never waited
 * for. What the receiver does not take in time is dropped.
 */
final class Exporting implements AutoCloseable {

  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Duration LIMIT = Duration.ofSeconds(5);
  private static final int QUEUE = 4_096;

  private final SdkTracerProvider provider;
  private final Tracer tracer;

  Exporting(URI endpoint, Optional<Authorities> authorities, String version) {
    OtlpHttpSpanExporterBuilder exporter =
        OtlpHttpSpanExporter.builder()
            .setEndpoint(endpoint.toString().replaceFirst("/+$", "") + "/v1/traces")
            .setTimeout(LIMIT)
            // Wherever the exporter itself was loaded, the sender is ours.
            .setServiceClassLoader(JdkSenderProvider.class.getClassLoader())
            .setRetryPolicy(null);
    authorities.ifPresent(all -> exporter.setSslContext(all.tls(), all.manager()));
    provider =
        SdkTracerProvider.builder()
            .setResource(resource(version))
            // The caller's flag does not count: nobody switches the operator's traces off.
            .setSampler(Sampler.alwaysOn())
            .addSpanProcessor(
                BatchSpanProcessor.builder(new QuietExporter(exporter.build(), endpoint))
                    .setScheduleDelay(PAUSE)
                    .setExporterTimeout(LIMIT)
                    .setMaxQueueSize(QUEUE)
                    .build())
            .build();
    tracer = provider.get("dev.sandboxer", version);
  }

  private static Resource resource(String version) {
    return Resource.create(
        Attributes.of(
            AttributeKey.stringKey("service.name"),
            "sandboxer",
            AttributeKey.stringKey("service.version"),
            version,
            AttributeKey.stringKey("service.instance.id"),
            UUID.randomUUID().toString()));
  }

  Span start(String name, SpanKind kind, @Nullable TraceParent parent) {
    Context context = parent == null ? Context.root() : Context.root().with(remote(parent));
    return tracer.spanBuilder(name).setParent(context).setSpanKind(kind).startSpan();
  }

  private static Span remote(TraceParent parent) {
    return Span.wrap(
        SpanContext.createFromRemoteParent(
            parent.traceId(), parent.spanId(), TraceFlags.getSampled(), TraceState.getDefault()));
  }

  /** Sends what is left, for a short time. */
  @Override
  public void close() {
    var _ = provider.shutdown().join(PAUSE.toMillis(), TimeUnit.MILLISECONDS);
  }
}
