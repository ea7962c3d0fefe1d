package dev.sandboxer.platform.dataplane;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.atomic.LongAdder;

/** The relay's figures. No tenant and no sandbox is a label. */
final class RelayMetrics {

  private static final int CLASSES = 6;

  private final Counter[] replies = new Counter[CLASSES];
  private final Counter webSockets;
  private final LongAdder fromClients = new LongAdder();
  private final LongAdder toClients = new LongAdder();

  RelayMetrics(MeterRegistry registry, OpenStreams streams) {
    for (int i = 1; i < CLASSES; i++) {
      replies[i] =
          Counter.builder("sandboxer.relay.requests")
              .description("Requests through the relay, by the class of the reply's status")
              .tag("status", i + "xx")
              .register(registry);
    }
    webSockets =
        Counter.builder("sandboxer.relay.websockets")
            .description("WebSockets opened through the relay")
            .register(registry);
    bytes(registry, "up", fromClients);
    bytes(registry, "down", toClients);
    Gauge.builder("sandboxer.relay.open.streams", streams, OpenStreams::count)
        .description("Requests and WebSockets open through the relay")
        .register(registry);
  }

  void replied(int status) {
    replies[Math.clamp(status / 100, 1, CLASSES - 1)].increment();
  }

  void webSocketOpened() {
    webSockets.increment();
  }

  void up(int bytes) {
    fromClients.add(bytes);
  }

  void down(int bytes) {
    toClients.add(bytes);
  }

  private static void bytes(MeterRegistry registry, String direction, LongAdder adder) {
    FunctionCounter.builder("sandboxer.relay.bytes", adder, LongAdder::doubleValue)
        .description("Bytes of bodies and WebSockets through the relay")
        .baseUnit("bytes")
        .tag("direction", direction)
        .register(registry);
  }
}
