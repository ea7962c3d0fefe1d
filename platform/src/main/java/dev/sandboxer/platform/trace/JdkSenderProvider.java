package dev.sandboxer.platform.trace;

import io.opentelemetry.sdk.common.export.HttpSender;
import io.opentelemetry.sdk.common.export.HttpSenderConfig;
import io.opentelemetry.sdk.common.export.HttpSenderProvider;

/** Lets the SDK's exporter send through the JDK. Found by the SDK in {@code META-INF/services}. */
public final class JdkSenderProvider implements HttpSenderProvider {

  /** For the service loader. */
  public JdkSenderProvider() {}

  @Override
  public HttpSender createSender(HttpSenderConfig config) {
    return new JdkSender(config);
  }
}
