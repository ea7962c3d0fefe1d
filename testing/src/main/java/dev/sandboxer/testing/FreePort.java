package dev.sandboxer.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A port that nobody has, for a program that is told its port, or that comes back to it. The kernel
 * gives none of these to who asks for any port, nor to who connects: it stays free meanwhile.
 */
public final class FreePort {

  private static final int FIRST = 20_000;
  private static final int BEHIND_LAST = 32_768;

  private FreePort() {}

  /** One of them, by chance: another process that looks at the same time finds another one. */
  public static int find() {
    while (true) {
      int port = ThreadLocalRandom.current().nextInt(FIRST, BEHIND_LAST);
      try (ServerSocket _ = new ServerSocket(port)) {
        return port;
      } catch (BindException e) {
        // somebody has it
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
