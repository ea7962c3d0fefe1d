package dev.sandboxer.e2e;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A port for a server that is started later, or again. It is below those that the kernel lends to
 * clients, one of which could have it by then.
 */
final class FreePort {

  private static final int FIRST = 15_000;
  private static final int AFTER_LAST = 32_000;

  private FreePort() {}

  static int find() {
    while (true) {
      int port = ThreadLocalRandom.current().nextInt(FIRST, AFTER_LAST);
      try (ServerSocket free = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return free.getLocalPort();
      } catch (IOException e) {
        // Somebody has it: another.
      }
    }
  }
}
