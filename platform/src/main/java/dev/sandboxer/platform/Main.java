package dev.sandboxer.platform;

import dev.sandboxer.platform.boot.Boot;
import io.quarkus.runtime.annotations.QuarkusMain;

/** The platform's process: without arguments it serves, else it runs one offline command. */
@QuarkusMain
public final class Main {

  /**
   * Starts.
   *
   * @param arguments nothing, or a command such as {@code reset-admin}
   */
  public static void main(String... arguments) {
    System.exit(new Boot(System::getenv, System.err).run(arguments));
  }
}
