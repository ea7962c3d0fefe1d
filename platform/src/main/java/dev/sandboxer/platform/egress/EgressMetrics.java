package dev.sandboxer.platform.egress;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.atomic.LongAdder;

/** The proxy's figures. No tenant, sandbox or host is a label. */
final class EgressMetrics {

  private final LongAdder sent = new LongAdder();
  private final LongAdder received = new LongAdder();
  private final Counter connected;
  private final Counter denied;
  private final Counter failed;

  EgressMetrics(MeterRegistry registry) {
    bytes(registry, "sent", sent);
    bytes(registry, "received", received);
    this.connected = connections(registry, "connected");
    this.denied = connections(registry, "denied");
    this.failed = connections(registry, "failed");
  }

  void sent(int bytes) {
    sent.add(bytes);
  }

  void received(int bytes) {
    received.add(bytes);
  }

  void connected() {
    connected.increment();
  }

  void denied() {
    denied.increment();
  }

  void failed() {
    failed.increment();
  }

  private static Counter connections(MeterRegistry registry, String outcome) {
    return Counter.builder("sandboxer.egress.connections")
        .description("Connections of programs to hosts, by outcome")
        .tag("result", outcome)
        .register(registry);
  }

  private static void bytes(MeterRegistry registry, String direction, LongAdder adder) {
    FunctionCounter.builder("sandboxer.egress.bytes", adder, LongAdder::doubleValue)
        .description("Bytes between programs and hosts")
        .baseUnit("bytes")
        .tag("direction", direction)
        .register(registry);
  }
}
